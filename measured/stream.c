/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bandwidth of a stream of messages by their size, over TCP/IP and by packets: figures 4 and 5 of Sumimoto et
 * al. 2000, where TCP/IP is ahead below 256 bytes, as it puts several messages in a packet.
 *
 *   stream serve           waits for one client of each kind, on ports 7000 and 7001
 *   stream ADDRESS SIZES   measures against it
 *
 * TCP/IP has TCP_NODELAY, as netperf there. A packet, of UDP here, has one message of up to 1464 bytes, or a
 * part of a longer one. It is made reliable as PM/Ethernet does it: numbered, sent again from the first that
 * is missing (go back N), at most WINDOW on their way. Prints `BYTES TCP PACKETS`, in MB/s.
 */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 7000, PAYLOAD = 1464, WINDOW = 64, ACK_EVERY = 16, RESEND_MS = 20, MOST_BYTES = 1 << 16 };

/* A packet; `number` counts from 0 in each measurement, and is the next one awaited in an answer. */
struct packet {
    uint32_t run, number;
    char data[PAYLOAD];
};
enum { PACKET_HEAD = 2 * sizeof(uint32_t) };

/* The messages of a measurement, which the sender tells first. */
struct announced {
    uint32_t run, packets;
    uint64_t bytes;
};

static void stop(const char *what)
{
    perror(what);
    exit(2);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void write_all(int to, const void *data, size_t n)
{
    for (ssize_t done; n; data = (const char *)data + done, n -= (size_t)done)
        if ((done = write(to, data, n)) <= 0)
            stop("write");
}

/* False: the other end has closed. */
static int read_all(int from, void *data, size_t n)
{
    for (ssize_t done; n; data = (char *)data + done, n -= (size_t)done)
        if ((done = read(from, data, n)) <= 0)
            return 0;
    return 1;
}

/* ---- the end that receives ---- */

/* Takes packets in order, and says which is awaited: every few, and whenever one is not the next. */
static void take_packets(int socket, const struct announced *what)
{
    struct packet packet;
    struct sockaddr_in from;
    uint32_t answer[] = {what->run, 0};
    while (answer[1] < what->packets) {
        socklen_t length = sizeof from;
        const ssize_t n = recvfrom(socket, &packet, sizeof packet, 0, (struct sockaddr *)&from, &length);
        if (n < PACKET_HEAD || packet.run != what->run)
            continue;
        const int is_next = packet.number == answer[1];
        answer[1] += (uint32_t)is_next;
        if (!is_next || answer[1] % ACK_EVERY == 0 || answer[1] == what->packets)
            sendto(socket, answer, sizeof answer, 0, (struct sockaddr *)&from, length);
    }
}

static void serve(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    const int listening = socket(AF_INET, SOCK_STREAM, 0), packets = socket(AF_INET, SOCK_DGRAM, 0);
    static char data[MOST_BYTES];
    if (bind(listening, (struct sockaddr *)&at, sizeof at) || listen(listening, 1))
        stop("stream");
    at.sin_port = htons(PORT + 1);
    if (bind(packets, (struct sockaddr *)&at, sizeof at))
        stop("stream");
    const int stream = accept(listening, NULL, NULL);
    struct announced what;
    while (read_all(stream, &what, sizeof what)) {
        if (what.packets)
            take_packets(packets, &what);
        for (uint64_t left = what.packets ? 0 : what.bytes; left;) {
            const ssize_t n = read(stream, data, left < sizeof data ? left : sizeof data);
            if (n <= 0)
                stop("read");
            left -= (uint64_t)n;
        }
        write_all(stream, "", 1);
    }
}

/* ---- the end that sends ---- */

/* Reads which packet is awaited. Returns 0 if nothing was said in that time. */
static int hear(int socket, uint32_t run, uint32_t *awaited, int ms)
{
    struct pollfd ready = {.fd = socket, .events = POLLIN};
    uint32_t answer[2];
    if (poll(&ready, 1, ms) <= 0)
        return 0;
    if (recv(socket, answer, sizeof answer, 0) == sizeof answer && answer[0] == run && answer[1] > *awaited)
        *awaited = answer[1];
    return 1;
}

static void send_packets(int socket, const struct announced *what, size_t bytes)
{
    static struct packet packet;
    const uint32_t of_message = (uint32_t)((bytes + PAYLOAD - 1) / PAYLOAD);
    packet.run = what->run;
    for (uint32_t next = 0, awaited = 0; awaited < what->packets;) {
        while (hear(socket, what->run, &awaited, 0))
            ;
        if (next < awaited)
            next = awaited;
        if (next < what->packets && next < awaited + WINDOW) {
            const size_t at = (size_t)(next % of_message) * PAYLOAD, rest = bytes - at;
            packet.number = next++;
            if (send(socket, &packet, PACKET_HEAD + (rest < PAYLOAD ? rest : PAYLOAD), 0) < 0)
                stop("send");
        } else if (!hear(socket, what->run, &awaited, RESEND_MS)) {
            next = awaited;
        }
    }
}

/* MB/s of so many messages; `packets`: the socket for them, or -1: by the stream. */
static double measure_stream(int stream, int packets, size_t bytes, uint32_t n)
{
    static char data[MOST_BYTES];
    static uint32_t run;
    char done;
    struct announced what = {.run = ++run, .bytes = (uint64_t)bytes * n};
    if (packets >= 0)
        what.packets = n * (uint32_t)((bytes + PAYLOAD - 1) / PAYLOAD);
    write_all(stream, &what, sizeof what);
    const double start = now();
    if (packets >= 0)
        send_packets(packets, &what, bytes);
    for (uint32_t i = 0; packets < 0 && i < n; i++)
        write_all(stream, data, bytes);
    if (!read_all(stream, &done, 1))
        stop("read");
    return (double)what.bytes / (now() - start) / 1e6;
}

static int measure_all(const char *address, char **sizes, int n_sizes)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    const int stream = socket(AF_INET, SOCK_STREAM, 0), packets = socket(AF_INET, SOCK_DGRAM, 0), yes = 1;
    if (inet_pton(AF_INET, address, &to.sin_addr) != 1 || connect(stream, (struct sockaddr *)&to, sizeof to) ||
        setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes))
        stop(address);
    to.sin_port = htons(PORT + 1);
    if (connect(packets, (struct sockaddr *)&to, sizeof to))
        stop(address);
    for (int i = 0; i < n_sizes; i++) {
        enum { LEAST_MESSAGES = 200, BYTES = 1 << 20, MOST_MESSAGES = 20000 };
        const size_t bytes = strtoul(sizes[i], NULL, 10);
        if (!bytes || bytes > MOST_BYTES)
            return 2;
        uint32_t n = (uint32_t)(BYTES / bytes);
        n = n < LEAST_MESSAGES ? LEAST_MESSAGES : n > MOST_MESSAGES ? MOST_MESSAGES : n;
        const double by_stream = measure_stream(stream, -1, bytes, n);
        printf("%zu %.3f %.3f\n", bytes, by_stream, measure_stream(stream, packets, bytes, n));
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "serve") == 0) {
        serve();
        return 0;
    }
    if (argc < 3) {
        fprintf(stderr, "usage: stream serve | stream ADDRESS BYTES...\n");
        return 2;
    }
    return measure_all(argv[1], argv + 2, argc - 2);
}
