/**
 * The priority levels and flow schemas in force: taken from their objects, completed by the mandatory ones, and every few seconds the seats
 * that one level does not use lent to those that want them (upstream's flowcontrol/apf_controller).
 */
import type { FlowSchema, PriorityLevelConfiguration } from '../../../api/gen/types.ts';
import type { Clock } from '../../../base/clock.ts';
import { MANDATORY_LEVELS, MANDATORY_SCHEMAS } from '../bootstrap/flow-control.ts';
import { allocate } from './allocation.ts';
import { isWhole, PriorityLevel } from './priority-level.ts';

export class Levels {
	readonly #clock: Clock;
	/** All requests at once that are not exempt. */
	readonly #serverSeats: number;
	#levels = new Map<string, PriorityLevel>();
	#schemas: readonly FlowSchema[] = [];
	#fairFraction = 0;

	constructor(clock: Clock, serverSeats: number) {
		this.#clock = clock;
		this.#serverSeats = serverSeats;
		this.configure([], []);
	}

	/** In the order in which they are tried. Each one's level exists. */
	get schemas(): readonly FlowSchema[] {
		return this.#schemas;
	}
	get fairFraction(): number {
		return this.#fairFraction;
	}
	get(name: string): PriorityLevel | undefined {
		return this.#levels.get(name);
	}
	all(): Iterable<PriorityLevel> {
		return this.#levels.values();
	}

	configure(configurations: readonly PriorityLevelConfiguration[], schemas: readonly FlowSchema[]): void {
		const wanted = new Map(configurations.filter(isWhole).map((c) => [c.metadata.name ?? '', c]));
		this.#schemas = inOrder(schemas.filter((schema) => wanted.has(levelOf(schema))));
		for (const level of MANDATORY_LEVELS) if (!wanted.has(level.metadata.name ?? '')) wanted.set(level.metadata.name ?? '', level);
		const levels = new Map<string, PriorityLevel>();
		for (const [name, configuration] of wanted) {
			const level = this.#levels.get(name) ?? new PriorityLevel(configuration, this.#clock);
			level.configuration = configuration;
			level.isQuiescing = false;
			levels.set(name, level);
		}
		for (const [name, level] of this.#levels) {
			if (levels.has(name) || level.queues.isIdle) continue;
			level.isQuiescing = true;
			levels.set(name, level);
		}
		this.#levels = levels;
		let shares = 0;
		for (const level of levels.values()) shares += level.shares;
		for (const level of levels.values()) level.size(this.#serverSeats, shares);
		this.shareOut();
	}

	/** Gives each level its seats anew, by what it wanted since the last time. */
	shareOut(): void {
		const now = this.#clock.monotonic();
		const limited: PriorityLevel[] = [];
		const sums = { nominal: 0, lower: 0, least: 0 };
		let left = 0;
		for (const level of this.#levels.values()) {
			level.observe(now);
			sums.nominal += level.nominal;
			if (level.isExempt) {
				level.demand.target = Math.max(level.lower, level.demand.highest);
				left -= level.demand.target;
				level.apply(level.demand.target);
				continue;
			}
			limited.push(level);
			level.demand.target = Math.max(level.least, level.demand.smoothed);
			sums.lower += level.lower;
			sums.least += level.least;
		}
		left += sums.nominal;
		this.#fairFraction = 0;
		// Exempt requests leave less than the levels keep for themselves.
		if (left <= sums.lower) for (const level of limited) level.apply(level.lower);
		else if (left <= sums.least) {
			const part = (left - sums.lower) / (sums.least - sums.lower);
			for (const level of limited) level.apply(level.lower + Math.round((level.least - level.lower) * part));
		} else {
			const claims = limited.map((level) => ({ lower: level.least, upper: level.upper, target: level.demand.target }));
			const shared = allocate(sums.nominal, claims);
			this.#fairFraction = shared?.fairFraction ?? 0;
			for (const [i, level] of limited.entries()) level.apply(Math.round(shared?.seats[i] ?? level.current));
		}
	}

	/** Levels whose configuration is gone and which have become idle: it is time to configure again. */
	hasDrained(): boolean {
		for (const level of this.#levels.values()) if (level.isQuiescing && level.queues.isIdle) return true;
		return false;
	}
}

export function levelOf(schema: FlowSchema): string {
	return schema.spec?.priorityLevelConfiguration.name ?? '';
}

/** By precedence, then name; the mandatory ones are there even where their objects are not, first and last. */
function inOrder(schemas: readonly FlowSchema[]): readonly FlowSchema[] {
	const sorted = schemas.toSorted(
		(a, b) =>
			(a.spec?.matchingPrecedence ?? 1000) - (b.spec?.matchingPrecedence ?? 1000) ||
			((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
	);
	const missing = (name: string): readonly FlowSchema[] =>
		schemas.some(({ metadata }) => metadata.name === name) ? [] : MANDATORY_SCHEMAS.filter(({ metadata }) => metadata.name === name);
	return [...missing('exempt'), ...sorted, ...missing('catch-all')];
}
