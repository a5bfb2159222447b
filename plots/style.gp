# SPDX-License-Identifier: MIT
# style.gp: what all charts share: terminal, fonts, the colour, mark and dash of each policy, stamp and caption.
#
# A policy looks the same in every chart, because its looks are found by its name and never by its place in a list.
# Colour tells the amount stolen, dash and filling of the mark tell the victim; the colours are those of Okabe and Ito,
# which colour-blind readers can tell apart, and no two policies differ in colour alone.
#
# Expects: scripts (this folder), term (svg, pngcairo, dumb), out (file, '' for the terminal); stamp, machine, caption
# and the chart's own variables from NAME.vars; canvas_w and canvas_h, in pixels, from the chart's script.

ascii = (term eq 'dumb')
if (term eq 'svg') {
	set terminal svg size canvas_w,canvas_h dynamic enhanced font 'Helvetica,16' background '#ffffff' butt
}
if (term eq 'pngcairo') {
	set terminal pngcairo size canvas_w,canvas_h enhanced font 'DejaVu Sans,12' background '#ffffff'
}
if (ascii) {
	set terminal dumb noenhanced size (exists("columns") ? columns : 100),ascii_rows
}
if (out ne '') {
	set output out
}
set encoding utf8
set datafile separator "\t"
# Sizes of type, relative to the body's. SVG counts in pixels, pngcairo in points of 4/3 pixel.
pt(x) = (term eq 'svg' ? x * 16.0 : x * 12.0)
f_head = sprintf(",%.1f", pt(1.35))
f_panel = sprintf(",%.1f", pt(1.05))
f_small = sprintf(",%.1f", pt(0.85))
f_fine = sprintf(",%.1f", pt(0.78))

# Marks and the distance of axis labels come out larger in SVG, so they are scaled to look alike in both.
ps(x) = (term eq 'svg' ? 0.66 * x : x)
tic_up = (term eq 'svg' ? 0.45 : 0)
label_up = (term eq 'svg' ? 1.25 : 0.4)

grey = '#808080'

# ---- Policies: "half/random", "none", "global", "threads" ----
slash(p) = strstrt(p, '/')
steal_of(p) = slash(p) > 0 ? p[1:slash(p) - 1] : p
victim_of(p) = slash(p) > 0 ? p[slash(p) + 1:strlen(p)] : ''
rgb(p) = steal_of(p) eq 'half' ? '0072b2' : steal_of(p) eq 'one' ? 'd55e00' : steal_of(p) eq 'all' ? '009e73' : \
	steal_of(p) eq 'none' ? '333333' : steal_of(p) eq 'global' ? 'cc79a7' : steal_of(p) eq 'threads' ? 'e69f00' : '999999'
colour(p) = '#' . rgb(p)
faint(p) = '#90' . rgb(p)
filled(p) = victim_of(p) ne 'most-loaded' && victim_of(p) ne 'nearest'
mark(p) = (steal_of(p) eq 'half' ? 6 : steal_of(p) eq 'one' ? 4 : steal_of(p) eq 'all' ? 8 : \
	steal_of(p) eq 'none' ? 1 : steal_of(p) eq 'global' ? 12 : 10) + filled(p)
dash(p) = victim_of(p) eq 'most-loaded' ? 2 : victim_of(p) eq 'two-choices' ? 3 : victim_of(p) eq 'round-robin' ? 4 : \
	victim_of(p) eq 'nearest' ? 5 : p eq 'none' ? 4 : p eq 'global' ? 5 : 1
named(p) = p eq 'none' ? 'no stealing' : p eq 'global' ? 'one global queue' : p eq 'threads' ? 'one thread a task' : \
	steal_of(p) . ', ' . victim_of(p)

# ---- Queues: the global one is black, a P has a colour of its own ----
array p_rgb[8] = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#999933', '#666666']
p_colour(i) = p_rgb[i % 8 + 1]

# ---- The frame ----
set border 3 lw 1 lc rgb '#404040'
set tics nomirror out scale 0.6 textcolor rgb '#202020'
set grid xtics ytics back lt 1 lw 0.8 lc rgb '#d8d8d8'
if (ascii) {
	unset grid
	set border 31
}
unset key
px(x) = x / (1.0 * canvas_w)
py(y) = 1 - y / (1.0 * canvas_h)

# Head and foot as labels of the whole canvas; call once, before the first panel, and frame_off after it.
stamp_rgb = (stamp eq 'SIM' ? '#d55e00' : '#0072b2')
foot_1 = caption
foot_2 = machine
