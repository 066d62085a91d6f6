/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of libxml2 that are called. It is loaded with the first XML that is read: with ICU, which it
 * brings along, it takes longer to load than all else that a start of collc does.
 */
#ifndef COLLC_BASE_TEXT_LIBXML2_H
#define COLLC_BASE_TEXT_LIBXML2_H

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>

#define LIBXML2(X)                         \
    X(xmlCtxtReadMemory)                   \
    X(xmlDocDumpMemory)                    \
    X(xmlDocGetRootElement)                \
    X(xmlFree) /* a variable */            \
    X(xmlFreeDoc)                          \
    X(xmlFreeParserCtxt)                   \
    X(xmlGetLineNo)                        \
    X(xmlHasProp)                          \
    X(xmlNewParserCtxt)                    \
    X(xmlNodeGetContent)                   \
    X(xmlRelaxNGFree)                      \
    X(xmlRelaxNGFreeParserCtxt)            \
    X(xmlRelaxNGFreeValidCtxt)             \
    X(xmlRelaxNGNewMemParserCtxt)          \
    X(xmlRelaxNGNewValidCtxt)              \
    X(xmlRelaxNGParse)                     \
    X(xmlRelaxNGSetParserStructuredErrors) \
    X(xmlRelaxNGSetValidStructuredErrors)  \
    X(xmlRelaxNGValidateDoc)               \
    X(xmlSAX2GetLineNumber)                \
    X(xmlSetProp)                          \
    X(xmlStopParser)

struct libxml2 {
#define X(name) __typeof__(name) *name;
    LIBXML2(X)
#undef X
};

/* Returns the functions; ends the program, with help, if libxml2 is not installed. */
const struct libxml2 *libxml2(void);

#endif
