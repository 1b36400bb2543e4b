/** The custom metrics API, in the version that its server likes best of those known here; which one that is is asked again now and then. */
import type { CrossVersionObjectReference } from '../../../api/gen/types.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { groupOf, mappingsOf } from './scale-target.ts';

const GROUP = 'custom.metrics.k8s.io';
const KNOWN: ReadonlySet<string> = new Set([`${GROUP}/v1beta2`, `${GROUP}/v1beta1`]);
/** Upstream forgets it once in the autoscalers' period. */
const KEPT_MS = 15_000;

interface Group {
	readonly name: string;
	readonly versions?: readonly { readonly groupVersion: string }[];
	readonly preferredVersion?: { readonly groupVersion: string };
}

type Read = <T>(path: string, signal: AbortSignal) => Promise<T>;

export class CustomApi {
	readonly #client: Client;
	readonly #clock: Clock;
	readonly #read: Read;
	#known: { readonly base: string; readonly at: number } | undefined;

	constructor(client: Client, clock: Clock, read: Read) {
		this.#client = client;
		this.#clock = clock;
		this.#read = read;
	}

	/** Of all pods of the namespace. */
	async pods(metric: string, namespace: string, signal: AbortSignal): Promise<string> {
		return `${await this.#base(signal)}/namespaces/${namespace}/pods/*/${metric}`;
	}

	/** Of one object, which is in the namespace whatever its kind: nobody reads of others'. */
	async object(metric: string, namespace: string, about: CrossVersionObjectReference, signal: AbortSignal): Promise<string> {
		const place = `${await this.#base(signal)}/namespaces/${namespace}`;
		if (about.kind === 'Namespace' && groupOf(about.apiVersion ?? '') === '') return `${place}/metrics/${metric}`;
		const [resource] = await mappingsOf(this.#client, about, signal);
		const plural = resource === undefined || resource.group === '' ? resource?.plural : `${resource.plural}.${resource.group}`;
		return `${place}/${plural ?? ''}/${about.name}/${metric}`;
	}

	async #base(signal: AbortSignal): Promise<string> {
		const now = this.#clock.monotonic();
		if (this.#known !== undefined && now - this.#known.at < KEPT_MS) return this.#known.base;
		const { groups = [] } = await this.#read<{ readonly groups?: readonly Group[] }>('/apis', signal);
		const base = `/apis/${versionOf(groups.find(({ name }) => name === GROUP))}`;
		this.#known = { base, at: now };
		return base;
	}
}

/** "custom.metrics.k8s.io/v1beta2" */
function versionOf(group: Group | undefined): string {
	if (group === undefined) throw new AppError('NotFound', `no custom metrics API (${GROUP}) registered`);
	const offered = [group.preferredVersion, ...(group.versions ?? [])].map((version) => version?.groupVersion ?? '');
	const found = offered.find((version) => KNOWN.has(version));
	if (found === undefined) throw new AppError('NotFound', 'no known available metric versions found');
	return found;
}
