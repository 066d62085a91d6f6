/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles of IPM, versions 1 and 2 (src/report_xml.c there), of all ranks in one file:
 *
 *   <ipm_job_profile>
 *   <task ipm_version="2.0.6" mpi_rank="0" mpi_size="4" ...>
 *   <hash nlog="12" nkey="8">
 *   <hent key="..." call="MPI_Isend" bytes="4096" orank="1" region="0" count="10" ...>1e-3 1e-5 2e-4</hent>
 */
#include "schedules/traffic/internal.h"

#include "base/text/xml.h"

struct ipm {
    struct traffic *traffic;
    struct xml_reader reader;
    uint64_t n_left; /* calls of MPI_Sendrecv */
};

bool ipm_is_form(const struct source *source) { return xml_root_is(source, "ipm_job_profile"); }

/* Reads a number below `limit` in an attribute. False after reporting. */
static bool ipm_take_number(struct ipm *ipm, const xmlNode *element, const char *name, uint64_t limit,
                            uint64_t *value)
{
    const char *text = xml_need_attribute(&ipm->reader, element, name);
    if (text && traffic_is_whole(slice_of(text)) && parse_size(slice_of(text), value) == VALUE_OK &&
        *value < limit)
        return true;
    if (text)
        xml_report(&ipm->reader, CODE_S007, xml_attribute_slice(&ipm->reader, element, name, true), text,
                   "no number that is right here")
            ->help = "ranks are numbered from 0 to mpi_size - 1; bytes times count stay below 2^63";
    ipm->traffic->failed = true;
    return false;
}

static bool ipm_is_send(const char *call)
{
    static const char *const sends[] = {"MPI_Send",  "MPI_Bsend",  "MPI_Ssend",  "MPI_Rsend",
                                        "MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend"};
    for (size_t i = 0; i < sizeof sends / sizeof *sends; i++)
        if (strcmp(call, sends[i]) == 0)
            return true;
    return false;
}

/* Reads the calls of a kind that a rank made. */
static void ipm_read_entry(struct ipm *ipm, const xmlNode *entry, uint32_t rank, uint32_t n_ranks)
{
    const char *call = xml_find_attribute(entry, "call");
    uint64_t bytes, peer, count, all;
    ipm->n_left += call && strncmp(call, "MPI_Sendrecv", 12) == 0;
    if (!call || !ipm_is_send(call) || !ipm_take_number(ipm, entry, "bytes", TRAFFIC_MAX_BYTES, &bytes) ||
        !ipm_take_number(ipm, entry, "orank", n_ranks, &peer) ||
        !ipm_take_number(ipm, entry, "count", bytes ? TRAFFIC_MAX_BYTES / bytes : UINT64_MAX, &count))
        return;
    if (!mem_multiply(bytes, count, &all))
        return;
    traffic_add(ipm->traffic, rank, (uint32_t)peer, all);
    ipm->traffic->messages[ipm->traffic->n - 1].line = (uint32_t)libxml2()->xmlGetLineNo(entry);
}

/* Reads the entries below an element, at whatever depth. */
static void ipm_read_entries(struct ipm *ipm, const xmlNode *element, uint32_t rank, uint32_t n_ranks)
{
    for (const xmlNode *child = element->children; child && !ipm->traffic->failed; child = child->next) {
        if (xml_is(child, "hent"))
            ipm_read_entry(ipm, child, rank, n_ranks);
        else if (xml_is(child, "hash"))
            ipm_read_entries(ipm, child, rank, n_ranks);
    }
}

static void ipm_read_task(struct ipm *ipm, const xmlNode *task)
{
    uint64_t rank, n_ranks;
    if (!ipm_take_number(ipm, task, "mpi_size", SCHEDULE_MAX_RANKS, &n_ranks) ||
        !ipm_take_number(ipm, task, "mpi_rank", n_ranks, &rank))
        return;
    if (n_ranks > ipm->traffic->n_ranks)
        ipm->traffic->n_ranks = (uint32_t)n_ranks;
    ipm_read_entries(ipm, task, (uint32_t)rank, (uint32_t)n_ranks);
}

void ipm_read(struct traffic *traffic)
{
    struct ipm ipm = {.traffic = traffic,
                      .reader = {.source = traffic->source, .diagnostics = traffic->diagnostics}};
    xmlDoc *document = xml_parse(&ipm.reader);
    traffic->failed = !document;
    for (const xmlNode *child = document ? libxml2()->xmlDocGetRootElement(document)->children : NULL;
         child && !traffic->failed; child = child->next)
        if (xml_is(child, "task"))
            ipm_read_task(&ipm, child);
    if (document)
        libxml2()->xmlFreeDoc(document);
    if (ipm.n_left && !traffic->failed)
        report(traffic->diagnostics, CODE_S008, (struct position){traffic->source, 1, 1, 1},
               "left out: %llu kind%s of calls of MPI_Sendrecv", (unsigned long long)ipm.n_left,
               plural(ipm.n_left))
            ->help = "such an entry has one rank and one size for a send and a receive";
}
