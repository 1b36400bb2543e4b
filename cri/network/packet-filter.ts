/** Who filters and translates the pods' packets: one interface over iptables and nftables. */
import type { Filtering } from './rules.ts';

export interface PacketFilter {
	readonly name: PacketFilterName;
	/** Replaces all rules of our own by these; the same input always gives the same rules. */
	fill(filtering: Filtering): Promise<void>;
	/** Leads packets to our rules, before a policy or a rule of others; already done is success. */
	connect(filtering: Filtering): Promise<void>;
	/** Takes back all that fill and connect made; nothing there is success. */
	remove(): Promise<void>;
}

export type PacketFilterName = 'iptables' | 'nftables';
