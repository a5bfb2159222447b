# SPDX-License-Identifier: MIT
# heatmap.gp: one panel a workload, one cell a policy and local_cap, coloured by the ratio of its median time to that of
# half/random/256: blue is faster, red slower, white the same. The figure stands in the cell, in bold where it is more
# than noise. Controls (no stealing, one global queue) stand apart; they may run off the scale, and then tell by number.
#
# Variables (heatmap.vars): workload[] title[] policy[] cap[], n_ of each, procs, largest (|log2 ratio|), name.
across = n_workload > 4 ? 4 : n_workload
down = (n_workload + across - 1) / across
cell_h = 44
n_control = 0
do for [p = 1:n_policy] {
	n_control = n_control + (strstrt(policy[p], '/') == 0)
}
body_h = cell_h * (n_policy + (n_control > 0 ? 0.35 : 0))
panel_h = body_h + 92
top = 62
canvas_w = 1200
canvas_h = top + down * panel_h + 74
ascii_rows = 2 + (4 + n_policy * 2) * n_workload
load scripts . '/style.gp'
headline = sprintf('Time relative to half, random, 256 (procs %d)', procs)
cells = name . '.tsv'

# Scale: the largest ratio among the stealing policies, at least 5 %; the ends are the same factor up and down.
scale = (largest > log(1.05) / log(2) ? largest : log(1.05) / log(2))
set cbrange [-scale:scale]
set palette defined (0 '#2166ac', 0.25 '#67a9cf', 0.5 '#f7f7f7', 0.75 '#ef8a62', 1 '#b2182b')
ratios = (scale < 0.15 ? '0.9 0.92 0.94 0.96 0.98 1 1.02 1.04 1.06 1.08 1.1' : scale < 0.45 ? \
	'0.75 0.8 0.85 0.9 0.95 1 1.05 1.1 1.15 1.2 1.25 1.3' : scale < 1.1 ? '0.5 0.6 0.7 0.8 1 1.25 1.5 1.75 2' : \
	'0.06 0.12 0.25 0.5 1 2 4 8 16')
set cbtics () font f_small scale 0.4
do for [r in ratios] {
	if (abs(log(r + 0.0) / log(2)) <= scale * 1.001) {
		set cbtics add (r log(r + 0.0) / log(2))
	}
}

control(p) = strstrt(p, '/') == 0
wide(p) = p eq 'global'
row(y, p) = y + (control(p) ? 0.35 : 0)
half_w(p) = (wide(p) ? 0.5 * n_cap : 0.5) - 0.015
mid(x, p) = (wide(p) ? (n_cap - 1) / 2.0 : x)
log2(x) = log(x) / log(2)
mine(w) = strcol(1) eq workload[w]
here(w, x) = mine(w) ? x : NaN
dark(r) = abs(log2(r)) > 0.62 * scale
digits(r) = r >= 9.995 ? sprintf('%.1f', r) : sprintf('%.2f', r)
text(w, r, differs) = !mine(w) ? '' : ascii ? digits(r) : differs eq 'yes' ? '{/:Bold ' . digits(r) . '}' : \
	differs eq 'base' ? '{/:Italic 1}' : digits(r)

set xrange [-0.5:n_cap - 0.5]
set yrange [n_policy - 0.5 + (n_control > 0 ? 0.35 : 0):-0.5]
set xtics () font f_small offset 0,tic_up
do for [c = 1:n_cap] {
	set xtics add (cap[c] c - 1)
}
unset grid
unset border
set tics scale 0
unset colorbox

if (ascii) {
	set ytics ()
	do for [p = 1:n_policy] {
		set ytics add (policy[p] row(p - 1, policy[p]))
	}
	set multiplot layout n_workload,1
	do for [w = 1:n_workload] {
		set title title[w] . ' [' . stamp . '] time / (half, random, 256), by local_cap'
		plot cells skip 1 using (here(w, mid($5, strcol(2)))):(row($6, strcol(2))):(text(w, $9, strcol(12))) with labels
	}
	unset multiplot
	exit
}

load scripts . '/frame.gp'
set multiplot
left = 170
right = 104
gap = 18
panel_w = (canvas_w - left - right - (across - 1) * gap) / across
widest = 360
if (panel_w > widest) {
	left = left + across * (panel_w - widest) / 2
	panel_w = widest
}
set style fill solid noborder
do for [w = 1:n_workload] {
	c = (w - 1) % across
	r = (w - 1) / across
	set lmargin at screen px(left + c * (panel_w + gap))
	set rmargin at screen px(left + c * (panel_w + gap) + panel_w)
	set tmargin at screen py(top + r * panel_h + 40)
	set bmargin at screen py(top + r * panel_h + 40 + body_h)
	set title workload[w] font f_panel offset 0,-0.5 noenhanced
	set xlabel 'local\_cap' font f_small offset 0,label_up
	unset ytics
	if (c == 0) {
		set ytics () nomirror scale 0 font f_small textcolor rgb '#202020'
		do for [p = 1:n_policy] {
			set ytics add (named(policy[p]) row(p - 1, policy[p]))
		}
	}
	if (w == n_workload) {
		set colorbox user origin px(left + across * (panel_w + gap) + 8),py(top + 40 + body_h) \
			size px(18),(body_h / canvas_h) front noborder
		set label 905 "slower\n↑" at screen px(left + across * (panel_w + gap) + 17),py(top + 14) center font f_fine
		set label 906 "↓\nfaster" at screen px(left + across * (panel_w + gap) + 17),py(top + 40 + body_h + 18) center \
			font f_fine
	}
	plot cells skip 1 using (here(w, mid($5, strcol(2)))):(row($6, strcol(2))): \
			(mid($5, strcol(2)) - half_w(strcol(2))):(mid($5, strcol(2)) + half_w(strcol(2))): \
			(row($6, strcol(2)) - 0.485):(row($6, strcol(2)) + 0.485):(log2($9)) with boxxyerror fillcolor palette, \
	     cells skip 1 using (dark($9) ? NaN : here(w, mid($5, strcol(2)))):(row($6, strcol(2))): \
			(text(w, $9, strcol(12))) with labels font f_small textcolor rgb '#202020', \
	     cells skip 1 using (dark($9) ? here(w, mid($5, strcol(2))) : NaN):(row($6, strcol(2))): \
			(text(w, $9, strcol(12))) with labels font f_small textcolor rgb '#ffffff'
	unset label 901
	unset label 902
	unset label 903
	unset label 904
}
unset multiplot
unset output
