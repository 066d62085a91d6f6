# SPDX-License-Identifier: BSD-3-Clause
#
# The tuned rule over the default.
$1 == 4 && $2 == "default" { of_default[$3] = $4 }
$1 == 4 && $2 == "tuned" { print "4-ratio", "tuned / default", $3, $4 / of_default[$3] }
