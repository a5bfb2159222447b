# SPDX-License-Identifier: MIT
# speedup.gp: speed-up over procs, one panel a workload. On axes that are logarithmic both ways the ideal is a straight
# line; on others it is a curve, and every scheduler looks as if it flattened.
#
# Variables (speedup.vars): workload[] title[] policy[] proc[], n_ of each, cpus, speedup_min, speedup_max, name.
across = n_workload > 4 ? 3 : n_workload > 1 ? 2 : 1
down = (n_workload + across - 1) / across
legend_rows = (n_policy + 1 > 10 ? 3 : n_policy + 1 > 4 ? 2 : 1)
panel_h = 350
top = 58
legend_h = 24 * legend_rows + 12
canvas_w = 1200
canvas_h = top + down * panel_h + legend_h + 66
ascii_rows = 26 * n_workload
load scripts . '/style.gp'
headline = 'Speed-up over procs'
medians = name . '.tsv'
raw = name . '-raw.tsv'

set logscale xy 2
x_min = proc[1] + 0.0
x_max = proc[n_proc] + 0.0
set xrange [x_min / 2**0.3:x_max * 2**0.3]
y_low = speedup_min / 2**0.4
y_high = speedup_max * 2**0.3
set yrange [y_low:y_high]
set xtics () font f_small offset 0,tic_up
do for [i = 1:n_proc] {
	set xtics add (proc[i] proc[i] + 0.0)
}
set ytics () font f_small
marks = (y_high / y_low > 24 ? '0.125 0.25 0.5 1 2 4 8 16 32 64 128 256 512 1024' : \
	'0.125 0.25 0.35 0.5 0.7 1 1.4 2 2.8 4 5.7 8 11.3 16 22.6 32')
do for [m in marks] {
	set ytics add (m m + 0.0)
}

# Policies stand side by side at each procs, so that marks and bars do not hide each other; the ideal line is level
# there, so that standing left or right does not look like lying above or below it.
spread = (x_max / x_min > 16 ? 0.2 : 0.24)
beside(i) = 2**((n_policy > 1 ? (i - 1.0) / (n_policy - 1) - 0.5 : 0) * spread)
around(round) = 2**((int(round) % 5 - 2) * 0.006)
flat_procs(i) = proc[int(i) / 2 + 1] + 0.0
mine(w, p) = strcol(1) eq workload[w] && strcol(2) eq policy[p]
edge = sqrt(cpus * (cpus + 1.0))
edge = (edge < cpus * 2**(spread / 2 + 0.03) ? cpus * 2**(spread / 2 + 0.03) : edge)
# Threads know no procs: their line runs across, and their mark and dots stand once, at its end.
once(w, p) = mine(w, p) && (policy[p] ne 'threads' || strcol(3) eq proc[n_proc])
# Bars are vectors between two T heads: gnuplot's own error bars rub out a disc around each mark.
barred(c) = strcol(c) ne 'NA'
over = (cpus > 0 && x_max > cpus)
if (over) {
	set object 1 rect from edge, graph 0 to graph 1, graph 1 fillcolor rgb '#f1efe8' fillstyle solid noborder behind
	if (!ascii) {
		set label 2 'oversubscribed' at graph 0.985, graph 0.045 right font f_fine textcolor rgb '#6b6655' front
	}
}

if (ascii) {
	set key outside right
	set multiplot layout n_workload,1
	do for [w = 1:n_workload] {
		set title title[w] . ' [' . stamp . ']' noenhanced
		plot x w d t 'ideal', \
		     for [p = 1:n_policy] medians skip 1 using (mine(w, p) ? $3 : NaN):5 w p pt p + 1 t policy[p] noenhanced
	}
	unset multiplot
	exit
}

load scripts . '/frame.gp'
set multiplot
left = 78
gap = 72
panel_w = (canvas_w - left - 28 - (across - 1) * gap) / across
do for [w = 1:n_workload] {
	c = (w - 1) % across
	r = (w - 1) / across
	set lmargin at screen px(left + c * (panel_w + gap))
	set rmargin at screen px(left + c * (panel_w + gap) + panel_w)
	set tmargin at screen py(top + r * panel_h + 28)
	set bmargin at screen py(top + (r + 1) * panel_h - 48)
	set title title[w] font f_panel offset 0,-0.6 noenhanced
	set xlabel (r == down - 1 || w + across > n_workload ? 'procs (GOMAXPROCS)' : '') font f_small offset 0,label_up
	set ylabel (c == 0 ? 'speed-up' : '') font f_small offset 1.2,0
	plot sample [i = 0:2 * n_proc - 1:1] '+' \
		using (flat_procs(i) * 2**((int(i) % 2 - 0.5) * (spread + 0.05))):(flat_procs(i)) \
		with lines lc rgb '#b0b0b0' lw 3, \
	     for [p = 1:n_policy] raw skip 1 using (once(w, p) ? $3 * beside(p) * around($4) : NaN):5 \
		with points pt 7 ps ps(0.28) lc rgb faint(policy[p]), \
	     for [p = 1:n_policy] medians skip 1 using (mine(w, p) ? $3 * beside(p) : NaN):5 \
		with lines lc rgb colour(policy[p]) dt dash(policy[p]) lw 1.6, \
	     for [p = 1:n_policy] medians skip 1 using (once(w, p) && barred(6) ? $3 * beside(p) : NaN):6:(0):($7 - $6) \
		with vectors heads size screen px(3),90 lc rgb colour(policy[p]) lw 1.2, \
	     for [p = 1:n_policy] medians skip 1 using (once(w, p) ? $3 * beside(p) : NaN):5 \
		with points pt mark(policy[p]) ps ps(0.8) lc rgb colour(policy[p]) lw 1.2
	unset label 901
	unset label 902
	unset label 903
	unset label 904
}

# The legend is a panel of its own: one that lies inside another hides points, one that does not fit is dropped.
reset
set lmargin at screen px(28)
set rmargin at screen px(canvas_w - 28)
set tmargin at screen py(top + down * panel_h)
set bmargin at screen py(top + down * panel_h + legend_h)
unset border
unset tics
set pointintervalbox 0
set key center center vertical maxrows legend_rows Left reverse samplen 3 width 0.5 font f_small noenhanced
set xrange [0:1]
set yrange [0:1]
plot for [p = 1:n_policy] NaN with linespoints lc rgb colour(policy[p]) dt dash(policy[p]) pt mark(policy[p]) \
	ps ps(0.9) lw 1.6 title named(policy[p]), \
     NaN with lines lc rgb '#b0b0b0' lw 3 title 'ideal'
unset multiplot
unset output
