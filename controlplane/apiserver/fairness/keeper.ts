/**
 * Keeps fairness in step with its objects: reads them when they change, tells each flow schema whether its level exists, restores the default
 * ones every minute, and shares the seats out anew every ten seconds.
 */
import type { FlowSchema, FlowSchemaCondition } from '../../../api/gen/types.ts';
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Client } from '../../../client/client.ts';
import { ensureFlowControl } from '../bootstrap/ensure-flow-control.ts';
import type { ObjectReader } from '../contracts.ts';
import type { Fairness } from './fairness.ts';
import { levelOf } from './levels.ts';

/** Upstream's borrowingAdjustmentPeriod, and how often its bootstrap ensurer looks. */
const SHARE_OUT_MS = 10_000;
const RESTORE_MS = 60_000;
const FIELD_MANAGER = 'api-priority-and-fairness-config-consumer-v1';
/** Servers that disagree about a schema must not fight over it: so many writes of one status a minute. */
const MAX_WRITES = 6;

interface Deps {
	readonly fairness: Fairness;
	readonly objects: ObjectReader;
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
}

export class FairnessKeeper {
	readonly #deps: Deps;
	/** Times of the last status writes, by schema. */
	readonly #written = new Map<string, number[]>();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Resolves when the signal aborts. The objects are followed once `ready` has been called. */
	async run(signal: AbortSignal, ready: () => void): Promise<void> {
		const { objects, clock } = this.#deps;
		let wake = Promise.withResolvers<void>();
		let isDirty = true;
		const touch = (): void => {
			isDirty = true;
			wake.resolve();
		};
		using _levels = objects.onChange(PRIORITY_LEVEL_CONFIGURATIONS, touch);
		using _schemas = objects.onChange(FLOW_SCHEMAS, touch);
		const stopped = (): void => wake.resolve();
		signal.addEventListener('abort', stopped, { once: true });
		this.#configure();
		ready();
		let restoreAt = clock.monotonic() + RESTORE_MS;
		while (!signal.aborted) {
			if (isDirty) {
				isDirty = false;
				await this.#attempt('using flow schemas', signal, () => this.#sync(signal));
			}
			using _tick = clock.after(SHARE_OUT_MS, () => wake.resolve());
			if (!isDirty) await wake.promise;
			wake = Promise.withResolvers<void>();
			if (signal.aborted) return;
			this.#deps.fairness.levels.shareOut();
			if (this.#deps.fairness.levels.hasDrained()) isDirty = true;
			if (clock.monotonic() < restoreAt) continue;
			restoreAt = clock.monotonic() + RESTORE_MS;
			await this.#attempt('restoring flow schemas', signal, () => ensureFlowControl(this.#deps.client, signal));
		}
	}

	async #attempt(what: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			if (!signal.aborted) this.#deps.log.warn(`${what} failed`, { why: messageOf(error) });
		}
	}

	#configure(): readonly FlowSchema[] {
		const { objects, fairness } = this.#deps;
		const schemas = objects.list(FLOW_SCHEMAS);
		fairness.configure(objects.list(PRIORITY_LEVEL_CONFIGURATIONS), schemas);
		return schemas;
	}

	async #sync(signal: AbortSignal): Promise<void> {
		const { objects, clock, client } = this.#deps;
		const schemas = this.#configure();
		const levels = new Set(objects.list(PRIORITY_LEVEL_CONFIGURATIONS).map((l) => l.metadata.name));
		for (const schema of schemas) {
			const name = schema.metadata.name ?? '';
			const condition = dangling(schema, levels.has(levelOf(schema)), clock.now());
			if (condition === undefined || !this.#mayWrite(name)) continue;
			const body = {
				apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
				kind: 'FlowSchema',
				metadata: { name },
				status: { conditions: [condition] },
			};
			const options = { signal, subresource: 'status', fieldManager: FIELD_MANAGER };
			await client.patch(FLOW_SCHEMAS, name, { type: 'apply', body, force: true }, options).catch(ignore('NotFound'));
		}
	}

	#mayWrite(schema: string): boolean {
		const now = this.#deps.clock.monotonic();
		const recent = (this.#written.get(schema) ?? []).filter((at) => now - at < 60_000);
		if (recent.length < MAX_WRITES) recent.push(now);
		else return false;
		this.#written.set(schema, recent);
		return true;
	}
}

/** The condition as it should be; undefined when it is. Pure. */
export function dangling(schema: FlowSchema, isFound: boolean, now: number): FlowSchemaCondition | undefined {
	const status = isFound ? 'False' : 'True';
	const reason = isFound ? 'Found' : 'NotFound';
	const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(levelOf(schema))}`;
	const message = isFound ? `${named} and it exists` : `${named} but there is no such object`;
	const current = schema.status?.conditions?.find((c) => c.type === 'Dangling');
	if (current?.status === status && current.reason === reason && current.message === message) return undefined;
	return { type: 'Dangling', status, lastTransitionTime: timeOf(now), reason, message };
}
