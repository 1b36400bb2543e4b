/** The flows of one schema: which queues each may use, and what is counted of them. */
import type { FlowSchema } from '../../../api/gen/types.ts';
import type { UserInfo } from '../contracts.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Refusal } from './fair-queues.ts';
import type { FlowSeries } from './metrics.ts';
import type { PriorityLevel } from './priority-level.ts';
import { deal, flowHash } from './shuffle.ts';

const MAX_HANDS = 10_000;

export class Flow {
	readonly schema: string;
	readonly level: PriorityLevel;
	/** Told to clients, who need not know names. */
	readonly headers: { readonly schemaUid: string; readonly levelUid: string };
	readonly series: FlowSeries;
	readonly #distinguisher: string;
	readonly #hands = new Map<string, readonly number[]>();

	constructor(schema: FlowSchema, level: PriorityLevel, series: FlowSeries) {
		this.schema = schema.metadata.name ?? '';
		this.level = level;
		this.series = series;
		this.headers = { schemaUid: schema.metadata.uid ?? '', levelUid: level.configuration.metadata.uid ?? '' };
		this.#distinguisher = schema.spec?.distinguisherMethod?.type ?? '';
	}

	/** The queues for this user's or this namespace's requests; none where the level has no queues. */
	hand(user: UserInfo, info: RequestInfo): readonly number[] {
		const { queues } = this.level.queues.shape;
		if (queues < 1) return NONE;
		const who = this.distinguish(user, info);
		let hand = this.#hands.get(who);
		if (hand === undefined) {
			if (this.#hands.size >= MAX_HANDS) this.#hands.clear();
			const handSize = this.level.configuration.spec?.limited?.limitResponse?.queuing?.handSize ?? 8;
			this.#hands.set(who, (hand = deal(flowHash(this.schema, who), queues, Math.min(handSize, queues))));
		}
		return hand;
	}

	/** What tells this schema's flows apart. */
	distinguish(user: UserInfo, info: RequestInfo): string {
		if (this.#distinguisher === 'ByUser') return user.name;
		return this.#distinguisher === 'ByNamespace' && info.type === 'resource' ? info.namespace : '';
	}

	refused(why: Refusal): void {
		const { counts } = this.level;
		counts.rejected++;
		if (why === 'time-out') counts.timedOut++;
		if (why === 'cancelled') counts.cancelled++;
		// Upstream counts both under one name.
		const reason = why === 'cancelled' ? 'time-out' : why;
		this.series.rejected.set(reason, (this.series.rejected.get(reason) ?? 0) + 1);
	}
}

const NONE: readonly number[] = [];
