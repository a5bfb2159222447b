# SPDX-License-Identifier: MIT
# queues_map.gp: the queue chart for more Ps than lines can be told apart: time runs to the right, each P is a row, the
# darker the longer its queue. Above it, as lines, the global queue and the longest and the mean local queue: a gap
# between these two is imbalance.
#
# Variables (queues.vars): procs, local_cap, ours_title, ours_ms, ours_global, ours_local, evidence, name.
canvas_w = 1200
canvas_h = 836
ascii_rows = 30
load scripts . '/style.gp'
headline = 'Run queue lengths over time'
lines = name . '-ours.tsv'
map = name . '-map.tsv'
summary = name . '-summary.tsv'
unit = (ours_ms < 5 ? 'µs' : ours_ms < 5000 ? 'ms' : 's')
factor = (unit eq 'µs' ? 1000.0 : unit eq 'ms' ? 1.0 : 0.001)
set xrange [0:(ours_ms > 0 ? ours_ms : 1) * factor]

if (ascii) {
	set key outside right
	set title ours_title . ' [' . stamp . ']'
	set xlabel unit
	plot lines skip 1 using ($1 * factor):2 with steps t 'global', \
	     summary skip 1 using ($1 * factor):2 with steps t 'longest local', \
	     summary skip 1 using ($1 * factor):3 with steps t 'mean local'
	exit
}

load scripts . '/frame.gp'
set multiplot
left = 84
right = 132
set lmargin at screen px(left)
set rmargin at screen px(canvas_w - right)
set tics font f_small
set xtics offset 0,tic_up

set tmargin at screen py(92)
set bmargin at screen py(290)
set title ours_title font f_panel offset 0,-0.6 noenhanced
set ylabel 'goroutines' font f_small offset 1,0
set yrange [0:*]
set format x ''
set key at screen px(canvas_w - right),py(100) right top vertical font f_small noenhanced samplen 2.5
plot lines skip 1 using ($1 * factor):2 with steps lc rgb '#000000' lw 2.4 title 'global queue', \
     summary skip 1 using ($1 * factor):2 with steps lc rgb '#d55e00' lw 1.6 title 'longest local queue', \
     summary skip 1 using ($1 * factor):3 with steps lc rgb '#0072b2' lw 1.6 title 'mean local queue'
unset label 901
unset label 902
unset label 903
unset label 904

unset key
unset title
set format x '%g'
set tmargin at screen py(316)
set bmargin at screen py(690)
set xlabel 'time since the load began, ' . unit font f_small offset 0,label_up
set ylabel 'P' font f_small offset 1,0
set yrange [procs - 0.5:-0.5]
unset grid
set border 3 front
# Most queues are short most of the time, so the short lengths get most of the shades.
set palette defined (0 '#ffffff', 0.004 '#e3eef9', 0.06 '#b5d4e9', 0.2 '#6baed6', 0.5 '#2171b5', 1 '#08306b')
set cbrange [0:(ours_local > 0 ? ours_local : 1)]
set cbtics font f_small scale 0.4
set cblabel 'local queue length' font f_small offset (term eq 'svg' ? -0.6 : 0.5),0
set colorbox user origin px(canvas_w - right + 18),py(690) size px(18),(374.0 / canvas_h) noborder
if (evidence ne '') {
	set label 13 evidence at screen px(28),py(canvas_h - 66) left font f_fine textcolor rgb '#404040' noenhanced front
}
plot map skip 1 using ($1 * factor):2:3 with image
unset multiplot
unset output
