/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The version of collc.
 */
#ifndef COLLC_DRIVER_VERSION_H
#define COLLC_DRIVER_VERSION_H

#define COLLC_VERSION "0.1.0"

#endif
