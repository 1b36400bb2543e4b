/** How long the head of a request may be: its line and its header together (Go net/http, DefaultMaxHeaderBytes). A command to execute stands in the line; Node.js would take 16 KB. */
export const MAX_HEADER_BYTES = 1 << 20;
