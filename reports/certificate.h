/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The certificates of bounds by flows, by overlays and by any cut, as JSON (docs/bounds.md): what
 * bound/check/ reads.
 */
#ifndef COLLC_REPORTS_CERTIFICATE_H
#define COLLC_REPORTS_CERTIFICATE_H

#include "bound/cut/cut.h"
#include "bound/flow/flow.h"
#include "bound/overlay/overlay.h"

/* `collective` is its name and form; something is known. */
void flow_certificate(const struct flow *flow, const struct bound_request *request,
                      const char *collective, struct text *out);
void overlay_certificate(const struct overlay *overlay, const struct bound_request *request,
                         const char *collective, struct text *out);
void cut_certificate(const struct cut_proof *proof, const struct bound_request *request,
                     const char *collective, struct text *out);

#endif
