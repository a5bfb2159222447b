# SPDX-License-Identifier: MIT
# frame.gp: the head and the foot of a chart, drawn with its first panel: `headline`, the stamp MEASURED or SIM, and
# below everything the caption and the machine. 901.. are the tags of these labels.
if (!ascii) {
	set label 901 headline at screen px(28),py(34) left font f_head noenhanced front
	set label 902 stamp at screen px(canvas_w - 28),py(34) right font f_panel textcolor rgb stamp_rgb noenhanced front
	set label 903 foot_1 at screen px(28),py(canvas_h - 40) left font f_fine textcolor rgb '#404040' noenhanced front
	set label 904 foot_2 at screen px(28),py(canvas_h - 18) left font f_fine textcolor rgb grey noenhanced front
}
