/** What an autoscaler scales: any kind with a scale subresource, found as upstream's REST mapper does. */
import type { CrossVersionObjectReference, Scale } from '../../../api/gen/types.ts';
import { keyOf, type Resource } from '../../../api/resource.ts';
import { RESOURCES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, codeOf } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { discoverAll } from '../discovered.ts';

export interface ScaleTarget {
	readonly resource: Resource;
	readonly scale: Scale;
}

/** The resources of this kind, in every version. Built-in ones are known; AppError FailedPrecondition where there is none. */
export async function mappingsOf(client: Client, ref: CrossVersionObjectReference, signal: AbortSignal): Promise<readonly Resource[]> {
	const group = groupOf(ref.apiVersion ?? '');
	const isIts = (r: Resource): boolean => r.group === group && r.kind === ref.kind;
	const known = RESOURCES.filter(isIts);
	if (known.length > 0) return known;
	const found = (await discoverAll(client, signal)).filter(isIts);
	if (found.length > 0) return found;
	throw new AppError('FailedPrecondition', `no matches for kind ${JSON.stringify(ref.kind)} in group ${JSON.stringify(group)}`);
}

/** "" for the core group. */
export function groupOf(apiVersion: string): string {
	const parts = apiVersion.split('/');
	if (parts.length > 2) throw new AppError('InvalidArgument', `unexpected GroupVersion string: ${apiVersion}`);
	return parts.length === 2 ? (parts[0] as string) : '';
}

/** The scale in the first version that has one; else the first one's refusal. */
export async function scaleTarget(
	client: Client,
	namespace: string,
	ref: CrossVersionObjectReference,
	signal: AbortSignal,
): Promise<ScaleTarget> {
	let first: unknown;
	for (const resource of await mappingsOf(client, ref, signal))
		try {
			const key = resource.namespaced ? `${namespace}/${ref.name}` : ref.name;
			return { resource, scale: (await client.get(resource, key, { subresource: 'scale', signal })) as Scale };
		} catch (error) {
			first ??= error;
		}
	throw first;
}

/** Upstream's retry.DefaultRetry. */
const ATTEMPTS = 5;
const AGAIN_MS = 10;

/** Writes the scale; where somebody else wrote it meanwhile, into what is there then. */
export async function setReplicas(
	{ client, clock }: { readonly client: Client; readonly clock: Clock },
	{ resource, scale }: ScaleTarget,
	replicas: number,
	signal: AbortSignal,
): Promise<void> {
	let latest = scale;
	for (let attempt = 1; ; attempt++)
		try {
			const wanted = { ...latest, spec: { ...latest.spec, replicas } };
			await client.update(resource, wanted, { subresource: 'scale', signal });
			return;
		} catch (error) {
			if (codeOf(error) !== 'Aborted' || attempt === ATTEMPTS) throw error;
			await clock.sleep(AGAIN_MS, signal);
			latest = (await client.get(resource, keyOf(scale), { subresource: 'scale', signal }).catch(() => latest)) as Scale;
		}
}
