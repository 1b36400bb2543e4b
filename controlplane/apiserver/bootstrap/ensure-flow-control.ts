/** Keeps the default flow schemas and priority levels as they should be: made where absent, corrected unless somebody took them over, removed where obsolete. */
import { isDeepStrictEqual } from 'node:util';
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '../../../api/resources.ts';
import { keyOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { ignore } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { FLOW_SCHEMA_DATA, isMandatory, PRIORITY_LEVELS } from './flow-control.ts';

const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';
const FIELD_MANAGER = 'api-priority-and-fairness-config-producer-v1';

type Specified = KubeObject & { readonly spec?: unknown };

export async function ensureFlowControl(client: Client, signal: AbortSignal): Promise<void> {
	await Promise.all([
		ensure<Specified>(client, PRIORITY_LEVEL_CONFIGURATIONS, PRIORITY_LEVELS, signal),
		ensure<Specified>(client, FLOW_SCHEMAS, FLOW_SCHEMA_DATA, signal),
	]);
}

async function ensure<T extends Specified>(
	client: Client,
	resource: Resource<T>,
	wanted: readonly T[],
	signal: AbortSignal,
): Promise<void> {
	const { items } = await client.list(resource, { signal });
	const stored = new Map(items.map((one) => [keyOf(one), one]));
	const options = { signal, fieldManager: FIELD_MANAGER };
	await Promise.all(
		wanted.map(async (one) => {
			const current = stored.get(keyOf(one));
			if (current === undefined) return void (await client.create(resource, one, options).catch(ignore('AlreadyExists')));
			const revised = revise(current, one);
			// Whoever changed it meanwhile is seen at the next look.
			if (revised !== undefined) await client.update(resource, revised, options).catch(ignore('Aborted', 'NotFound'));
		}),
	);
	const names = new Set(wanted.map(keyOf));
	const obsolete = items.filter((one) => !names.has(keyOf(one)) && one.metadata.annotations?.[AUTO_UPDATE] === 'true');
	await Promise.all(
		obsolete.map((one) =>
			client
				.delete(resource, keyOf(one), { signal, ...(one.metadata.uid === undefined ? {} : { uid: one.metadata.uid }) })
				.catch(ignore('Aborted', 'NotFound')),
		),
	);
}

/** What the stored object should become; undefined when it is right. Pure. */
export function revise<T extends Specified>(stored: T, wanted: T): T | undefined {
	const annotation = stored.metadata.annotations?.[AUTO_UPDATE];
	const isOurs =
		isMandatory(wanted) ||
		(annotation === undefined || !/^(true|false)$/.test(annotation) ? stored.metadata.generation === 1 : annotation === 'true');
	const isMarked = annotation === String(isOurs);
	const isRight = !isOurs || isDeepStrictEqual(stored.spec, wanted.spec);
	if (isMarked && isRight) return undefined;
	const annotations = { ...stored.metadata.annotations, [AUTO_UPDATE]: String(isOurs) };
	return { ...stored, metadata: { ...stored.metadata, annotations }, ...(isRight ? {} : { spec: wanted.spec }) };
}
