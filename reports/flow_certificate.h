/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The certificate of a bound by flows, as JSON (docs/bounds.md): what bound/check/ reads.
 */
#ifndef COLLC_REPORTS_FLOW_CERTIFICATE_H
#define COLLC_REPORTS_FLOW_CERTIFICATE_H

#include "bound/flow/flow.h"

/* `collective` is its name and form; something is known. */
void flow_certificate(const struct flow *flow, const struct bound_request *request,
                      const char *collective, struct text *out);

#endif
