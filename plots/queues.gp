# SPDX-License-Identifier: MIT
# queues.gp: the lengths of all run queues over one run, as steps, for it is a count that stands until it changes; below
# it, on the same axes, what Go's own scheduler printed in the same run.
#
# What is to be seen is named from the data: the highest global queue, the batches that Ps take from it (the drop beside
# the fall, a ring where the P's queue rises), thefts (a triangle where the thief's queue rises), and the length at
# which a local queue spills.
#
# Variables (queues.vars): panels, procs, local_cap, globq_max, evidence, name; for ours and go each: _title _ms
# _global _local; ending, ending_ms, ending_top, late_top.
panel_h = 392
top = 62
legend_h = 44
canvas_w = 1200
canvas_h = top + panels * panel_h + legend_h + 66
ascii_rows = 30 * panels
load scripts . '/style.gp'
black = '#000000'
headline = 'Run queue lengths over time'
events = name . '-events.tsv'

array panel[2] = ['ours', 'go']
array file[2]
array title_of[2]
array global_of[2]
array local_of[2]
file[1] = name . '-ours.tsv'
title_of[1] = ours_title
global_of[1] = ours_global
local_of[1] = ours_local
x_max = ours_ms
y_max = (ours_global > ours_local ? ours_global : ours_local)
if (panels == 2) {
	file[2] = name . '-go.tsv'
	title_of[2] = go_title
	global_of[2] = go_global
	local_of[2] = go_local
	x_max = (go_ms > x_max ? go_ms : x_max)
	y_max = (go_global > y_max ? go_global : y_max)
	y_max = (go_local > y_max ? go_local : y_max)
}
unit = (x_max < 5 ? 'µs' : x_max < 5000 ? 'ms' : 's')
factor = (unit eq 'µs' ? 1000.0 : unit eq 'ms' ? 1.0 : 0.001)
set xrange [-0.012 * x_max * factor:1.015 * x_max * factor]
capped = (local_cap <= 1.3 * y_max)
set yrange [0:1.24 * (y_max > 0 ? y_max : 1)]
mine(i, kind) = strcol(1) eq panel[i] && strcol(3) eq kind

if (ascii) {
	set key outside right
	set multiplot layout panels,1
	do for [i = 1:panels] {
		set title title_of[i] . ' [' . stamp . ']'
		set xlabel unit
		plot file[i] skip 1 using ($1 * factor):2 with steps t 'global', \
		     for [p = 0:procs - 1] file[i] skip 1 using ($1 * factor):p + 3 with steps t sprintf('P%d', p)
	}
	unset multiplot
	exit
}

load scripts . '/frame.gp'
set multiplot
left = 84
do for [i = 1:panels] {
	set lmargin at screen px(left)
	set rmargin at screen px(canvas_w - 28)
	set tmargin at screen py(top + (i - 1) * panel_h + 30)
	set bmargin at screen py(top + i * panel_h - 46)
	set title title_of[i] font f_panel offset 0,-0.6 noenhanced
	set xlabel (i == panels ? 'time since the load began, ' . unit : '') font f_small offset 0,label_up
	set ylabel 'goroutines in the queue' font f_small offset 1,0
	set tics font f_small
	set xtics offset 0,tic_up
	if (capped) {
		set arrow 1 from graph 0, first local_cap to graph 1, first local_cap nohead lc rgb grey lw 1 dt 3 front
		set label 11 sprintf('local queue full: %d', local_cap) at graph 0.992, first local_cap right offset 0,-0.6 \
			font f_fine textcolor rgb grey noenhanced front
	}
	unset label 12
	unset label 13
	if (global_of[i] > 0) {
		set label 12 sprintf('spilled to the global queue: at most %d sampled%s', global_of[i], \
			i == 1 && globq_max > 0 ? sprintf(', %d by the counter', globq_max) : '') \
			at first 0, first global_of[i] left offset 0.8,0.55 font f_fine textcolor rgb black noenhanced front
	}
	if (i == 1 && evidence ne '') {
		set label 13 evidence at graph 0.992, graph 0.955 right font f_fine textcolor rgb '#404040' noenhanced front
	}
	plot for [p = 0:procs - 1] file[i] skip 1 using ($1 * factor):p + 3 with steps lc rgb p_colour(p) lw 1.5, \
	     file[i] skip 1 using ($1 * factor):2 with steps lc rgb black lw 2.4, \
	     events skip 1 using (mine(i, 'refill') ? $2 * factor : NaN):6 with points pt 6 ps ps(0.8) lw 1.4 lc rgb black, \
	     events skip 1 using (mine(i, 'steal') ? $2 * factor : NaN):6 with points pt 9 ps ps(0.9) lc rgb '#d55e00', \
	     events skip 1 using (mine(i, 'batch') && strcol(7) eq 'yes' ? $2 * factor : NaN):($6 + $5 * 0.5): \
		(sprintf('−%d', $5)) with labels left offset 0.4,0 font f_fine textcolor rgb black
	unset label 901
	unset label 902
	unset label 903
	unset label 904
}

# The end of our run, enlarged in the empty corner above it, where thefts are; left out where there is no room.
plot_top = top + 30
plot_h = panel_h - 76.0
floor_level = (late_top > (capped ? local_cap : 0) ? late_top : (capped ? local_cap : 0))
inset_top = plot_top + 44
inset_bottom = plot_top + plot_h * (1 - floor_level / (1.24 * y_max)) - 30
if (ending && inset_bottom - inset_top > 80) {
	inset_left = left + 0.62 * (canvas_w - 28 - left)
	unset label
	unset arrow
	unset title
	unset xlabel
	unset ylabel
	set lmargin at screen px(inset_left)
	set rmargin at screen px(canvas_w - 40)
	set tmargin at screen py(inset_top)
	set bmargin at screen py(inset_bottom)
	set object 9 rect from screen px(inset_left - 46),py(inset_bottom + 24) to screen px(canvas_w - 32),py(inset_top - 6) \
		fillcolor rgb '#ffffff' fillstyle solid noborder behind
	set label 14 'the end, enlarged' at graph 0.99, graph 0.9 right font f_fine textcolor rgb '#404040' noenhanced front
	set xrange [ending_ms * factor:ours_ms * factor]
	set yrange [0:1.3 * ending_top + 1]
	set tics font f_fine
	set ytics 0,(ending_top > 200 ? 100 : ending_top > 80 ? 50 : ending_top > 40 ? 20 : ending_top > 15 ? 10 : 5)
	plot for [p = 0:procs - 1] file[1] skip 1 using ($1 * factor):p + 3 with steps lc rgb p_colour(p) lw 1.5, \
	     file[1] skip 1 using ($1 * factor):2 with steps lc rgb black lw 2.4, \
	     events skip 1 using (mine(1, 'refill') ? $2 * factor : NaN):6 with points pt 6 ps ps(0.8) lw 1.4 lc rgb black, \
	     events skip 1 using (mine(1, 'steal') ? $2 * factor : NaN):6 with points pt 9 ps ps(0.9) lc rgb '#d55e00', \
	     events skip 1 using (mine(1, 'steal') && $5 > 0.06 * ending_top ? $2 * factor : NaN):6: \
		(sprintf('+%d', $5)) with labels left offset 0.2,0.6 font f_fine textcolor rgb '#d55e00'
}

# The legend, laid out by hand: columns as wide as their words.
reset
unset border
unset tics
unset key
set margins 0,0,0,0
set xrange [0:1]
set yrange [0:1]
y = py(top + panels * panel_h + 26)
x = left
set arrow 1 from screen px(x),y to screen px(x + 34),y nohead lc rgb black lw 2.4
set label 1 'global' at screen px(x + 42),y left font f_small
x = x + 116
do for [p = 0:procs - 1] {
	set arrow p + 2 from screen px(x),y to screen px(x + 34),y nohead lc rgb p_colour(p) lw 2
	set label p + 2 sprintf('P%d', p) at screen px(x + 42),y left font f_small
	x = x + (procs > 5 ? 70 : 86)
}
set label 20 '' at screen px(x + 10),y point pt 6 ps ps(0.9) lw 1.4 lc rgb black
set label 21 'batch taken from the global queue' at screen px(x + 24),y left font f_small
x = x + 280
set label 22 '' at screen px(x + 10),y point pt 9 ps ps(1) lc rgb '#d55e00'
set label 23 'theft' at screen px(x + 24),y left font f_small
plot NaN
unset multiplot
unset output
