# SPDX-License-Identifier: BSD-3-Clause
#
# Figure 6: for each size the best number of pieces.
$1 ~ /^6-/ && $4 > best[$1, $3] { best[$1, $3] = $4 }
$1 ~ /^6-/ && !(($1, $3) in seen) { seen[$1, $3]; figure[++n] = $1; x[n] = $3 }
END { for (i = 1; i <= n; i++) print figure[i], "best of these", x[i], best[figure[i], x[i]] }
