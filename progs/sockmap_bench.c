// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs between two TCP sockets: they pass data on, or send it to the socket at index 1 of the
 * map, to its receive queue or out. Each counts the bytes that it saw.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_SOCKMAP);
	__uint(max_entries, 2);
	__type(key, int);
	__type(value, int);
} sockets SEC(".maps");

const volatile __u64 redirect_flags;
const volatile __u32 message_bytes; /* what the parser cuts the stream into */

__u64 processed; /* bytes */

SEC("sk_skb/stream_parser") int parse(struct __sk_buff *skb)
{
	return message_bytes;
}

SEC("sk_skb/stream_verdict") int skb_redirect(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&processed, skb->len);
	return bpf_sk_redirect_map(skb, &sockets, 1, redirect_flags);
}

SEC("sk_skb/stream_verdict") int skb_pass(struct __sk_buff *skb)
{
	__sync_fetch_and_add(&processed, skb->len);
	return SK_PASS;
}

SEC("sk_msg") int msg_redirect(struct sk_msg_md *msg)
{
	__sync_fetch_and_add(&processed, msg->size);
	return bpf_msg_redirect_map(msg, &sockets, 1, redirect_flags);
}

SEC("sk_msg") int msg_pass(struct sk_msg_md *msg)
{
	__sync_fetch_and_add(&processed, msg->size);
	return SK_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
