/** How little of something may be left before pods go: upstream's eviction thresholds, read from a KubeletConfiguration. Pure. */
import { parseQuantity } from '../../api/quantity.ts';
import { parseDuration } from '../../api/time.ts';

const SIGNALS = [
	'memory.available',
	'allocatableMemory.available',
	'nodefs.available',
	'nodefs.inodesFree',
	'imagefs.available',
	'imagefs.inodesFree',
	'containerfs.available',
	'containerfs.inodesFree',
	'pid.available',
] as const;
export type Signal = (typeof SIGNALS)[number];

/** An amount, or a share of what there is. */
export type Limit = { readonly amount: number } | { readonly share: number };

export interface Threshold {
	readonly signal: Signal;
	readonly limit: Limit;
	/** 0 for a hard one. */
	readonly graceMs: number;
	readonly hard: boolean;
	/** Once met it holds until so much more than the limit is free. */
	readonly minReclaim: Limit | undefined;
}

export type Limits = Readonly<Record<string, string>>;

/** Upstream's (v1beta1 defaults of a KubeletConfiguration). */
export const UPSTREAM_HARD: Limits = {
	'memory.available': '100Mi',
	'nodefs.available': '10%',
	'nodefs.inodesFree': '5%',
	'imagefs.available': '15%',
	'imagefs.inodesFree': '5%',
};

export interface EvictionConfig {
	readonly hard: Limits;
	readonly soft: Limits;
	readonly softGrace: Limits;
	readonly minReclaim: Limits;
}

/** Hard ones first. A limit of 0 % or 100 % turns a signal off, as upstream. */
export function thresholdsOf({ hard, soft, softGrace, minReclaim }: EvictionConfig): readonly Threshold[] {
	const of = (limits: Limits, isHard: boolean): readonly Threshold[] =>
		Object.entries(limits).flatMap(([signal, text]) => {
			if (text === '0%' || text === '100%') return [];
			const reclaim = minReclaim[signal];
			return [
				{
					signal: signal as Signal,
					limit: limitOf(text),
					graceMs: isHard ? 0 : Number(parseDuration(softGrace[signal] ?? '0s') / 1_000_000n),
					hard: isHard,
					minReclaim: reclaim === undefined ? undefined : limitOf(reclaim),
				},
			];
		});
	return [...of(hard, true), ...of(soft, false)];
}

/** What holds for memory holds for what pods may have of it together, where that is limited (upstream's addAllocatableThresholds). */
export function withAllocatable(thresholds: readonly Threshold[]): readonly Threshold[] {
	const added = thresholds
		.filter((t) => t.hard && t.signal === 'memory.available')
		.map((t): Threshold => ({ ...t, signal: 'allocatableMemory.available' }));
	return [...thresholds, ...added];
}

export function limitOf(text: string): Limit {
	if (text.endsWith('%')) return { share: Number(text.slice(0, -1)) / 100 };
	return { amount: Number(parseQuantity(text).nano) / 1e9 };
}

export function amountIn(limit: Limit, capacity: number): number {
	return 'amount' in limit ? limit.amount : Math.trunc(capacity * limit.share);
}

/** What is wrong with them, by field. */
export function evictionFaults({ hard, soft, softGrace, minReclaim }: EvictionConfig): readonly string[] {
	const faults: string[] = [];
	const each = (field: string, limits: Limits, check: (text: string) => void): void => {
		for (const [signal, text] of Object.entries(limits)) {
			if (!(SIGNALS as readonly string[]).includes(signal)) faults.push(`${field}: unknown eviction signal "${signal}"`);
			try {
				check(text);
			} catch (error) {
				faults.push(`${field}.${signal}: ${error instanceof Error ? error.message : String(error)}`);
			}
		}
	};
	each('evictionHard', hard, checkLimit);
	each('evictionSoft', soft, checkLimit);
	each('evictionMinimumReclaim', minReclaim, checkLimit);
	each('evictionSoftGracePeriod', softGrace, (text) => {
		if (parseDuration(text) < 0n) throw new Error(`"${text}" must be positive`);
	});
	for (const signal of Object.keys(soft))
		if (softGrace[signal] === undefined) faults.push(`grace period must be specified for the soft eviction threshold ${signal}`);
	return faults;
}

function checkLimit(text: string): void {
	const limit = limitOf(text);
	const value = 'amount' in limit ? limit.amount : limit.share;
	if (Number.isNaN(value) || value < 0) throw new Error(`"${text}" must be positive`);
	if ('share' in limit && limit.share > 1) throw new Error(`"${text}" must be at most 100%`);
}
