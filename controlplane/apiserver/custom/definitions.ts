/**
 * Follows CustomResourceDefinitions: grants their names, serves their kinds while they are established, and on deletion removes the objects
 * before the definition goes.
 */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import { keyOf, type KubeObject } from '../../../api/resource.ts';
import { sameJson } from '../../../api/same-json.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { ObjectReader, ObjectWriter } from '../contracts.ts';
import type { Kind, Kinds } from '../registry/kinds.ts';
import type { WebhookCaller } from '../webhook/caller.ts';
import { CLEANUP, conditionOf, isEstablished, isTerminating, nextStatus } from './conditions.ts';
import type { CustomMetrics } from '../metrics/custom-metrics.ts';
import { converterOf } from './conversion-webhook.ts';
import { customKinds, storageKind } from './custom-kinds.ts';
import { removeObjects } from './removal.ts';

interface Deps {
	readonly kinds: Kinds;
	readonly reader: ObjectReader;
	readonly writer: ObjectWriter;
	readonly caller: WebhookCaller;
	readonly clock: Clock;
	readonly metrics?: CustomMetrics | undefined;
	readonly log: Log;
}

type Definition = CustomResourceDefinition & KubeObject;

interface Served {
	readonly kinds: readonly Kind[];
	/** Of the version that objects are stored in: of all that is known of them nothing is lost there. */
	readonly stored: Kind | undefined;
	readonly signature: string;
	readonly isEnding: boolean;
	readonly ending: AbortController;
}

export class CustomResourceDefinitions {
	readonly #deps: Deps;
	/** What is served, by the definition's name. */
	readonly #served = new Map<string, Served>();
	readonly #cleaning = new Map<string, Promise<void>>();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Resolves when the signal aborts and all work has ended. */
	async run(signal: AbortSignal, ready: () => void): Promise<void> {
		const { reader, log } = this.#deps;
		const waiting = new Set<string>();
		let wake = Promise.withResolvers<void>();
		const look = (name: string): void => {
			waiting.add(name);
			wake.resolve();
		};
		signal.addEventListener('abort', () => wake.resolve(), { once: true });
		using _following = reader.onChange(CUSTOM_RESOURCE_DEFINITIONS, ({ key }) => look(key));
		for (const definition of reader.list(CUSTOM_RESOURCE_DEFINITIONS)) this.#serve(definition as Definition);
		for (const definition of reader.list(CUSTOM_RESOURCE_DEFINITIONS)) look(keyOf(definition));
		ready();
		while (!signal.aborted) {
			await wake.promise;
			wake = Promise.withResolvers<void>();
			if (signal.aborted) wake.resolve();
			for (const name of [...waiting]) {
				if (signal.aborted) break;
				waiting.delete(name);
				try {
					await this.#sync(name, look, signal);
				} catch (error) {
					if (!signal.aborted) log.warn('cannot serve a custom resource', { definition: name, why: messageOf(error) });
				}
			}
		}
		await Promise.all(this.#cleaning.values());
	}

	async #sync(name: string, look: (name: string) => void, signal: AbortSignal): Promise<void> {
		const { reader, writer, clock } = this.#deps;
		const definition = reader.get(CUSTOM_RESOURCE_DEFINITIONS, name) as Definition | undefined;
		if (definition === undefined) {
			this.#withdraw(name);
			this.#lookAgain(look);
			return;
		}
		if (definition.metadata.deletionTimestamp !== undefined) {
			// Another server may have established it: its objects are found by what is made of it here.
			this.#serve(definition);
			if (hasFinalizer(definition, CLEANUP) && !this.#cleaning.has(name)) {
				const cleaning = removeObjects(name, { ...this.#deps, stored: () => this.#served.get(name)?.stored?.resource }, signal)
					.catch(() => undefined)
					.finally(() => this.#cleaning.delete(name));
				this.#cleaning.set(name, cleaning);
			}
		}
		const others = (reader.list(CUSTOM_RESOURCE_DEFINITIONS) as readonly Definition[]).filter(
			(other) => other.spec.group === definition.spec.group && other.metadata.name !== name,
		);
		const next = nextStatus(definition, others, clock.now());
		let current = definition;
		if (next !== definition)
			current = (await writer.change(CUSTOM_RESOURCE_DEFINITIONS, name, (live) => nextStatus(live, others, clock.now()) as typeof live, {
				dryRun: false,
				signal,
				tracked: 'status',
			})) as Definition;
		this.#serve(current);
		if (!sameJson(current.status?.acceptedNames, definition.status?.acceptedNames)) this.#lookAgain(look);
	}

	/** Names may have become free. */
	#lookAgain(look: (name: string) => void): void {
		for (const other of this.#deps.reader.list(CUSTOM_RESOURCE_DEFINITIONS))
			if (conditionOf(other, 'NamesAccepted')?.status !== 'True') look(keyOf(other));
	}

	#serve(definition: Definition): void {
		const { kinds, caller, clock, metrics } = this.#deps;
		const name = definition.metadata.name ?? '';
		// The server establishes whatever has its names, and takes nothing back: one that was established and is not has lost it to a client.
		if (!isEstablished(definition)) return this.#withdraw(name);
		const signature = JSON.stringify([definition.metadata.uid, definition.spec, definition.status?.acceptedNames]);
		const before = this.#served.get(name);
		const isSame = before?.signature === signature;
		const isEnding = isTerminating(definition);
		if (isSame && before.isEnding === isEnding) return;
		const ending = isSame ? before.ending : new AbortController();
		const converter = converterOf(definition, { caller, clock, metrics });
		const isFree = ({ resource }: Kind): boolean => {
			const there = kinds.byPath(resource.group, resource.version, resource.plural);
			return there === undefined || there.custom !== undefined;
		};
		const made = customKinds(definition, converter, ending.signal, metrics?.rules).filter(isFree);
		for (const kind of before?.kinds ?? [])
			if (!made.some(({ apiVersion, resource }) => apiVersion === kind.apiVersion && resource.plural === kind.resource.plural))
				kinds.remove(kind);
		for (const kind of made) kinds.add(kind);
		const storage = definition.spec.versions.find((version) => version.storage)?.name;
		const stored = made.find(({ resource }) => resource.version === storage) ?? storageKind(definition, converter, ending.signal);
		const isOwn = stored !== undefined && isFree(stored);
		if (isOwn) kinds.keepUnserved(stored);
		this.#served.set(name, { kinds: made, stored: isOwn ? stored : made[0], signature, isEnding, ending });
		// Whoever watches sees the objects as they were served: they come again and see them anew.
		if (!isSame) before?.ending.abort();
	}

	#withdraw(name: string): void {
		for (const kind of this.#served.get(name)?.kinds ?? []) this.#deps.kinds.remove(kind);
		this.#served.get(name)?.ending.abort();
		this.#served.delete(name);
	}
}
