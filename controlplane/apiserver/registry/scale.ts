/** The scale subresource: the replicas of a workload in the common form autoscaling/v1 Scale. */
import type { Scale } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { formatLabelSelector } from '../../../api/selector/label-text.ts';
import { badRequest, invalid, notFound } from '../../../api/status.ts';
import { answerObject } from '../answer/formats.ts';
import { readObject } from '../request/body.ts';
import { writeOptions } from '../request/options.ts';
import type { Draft, ScalePaths } from '../strategy/strategy.ts';
import type { Parts } from './context.ts';
import { storeKey, type Kind } from './kinds.ts';
import { patched } from './patch.ts';
import { readPatch } from './patch-request.ts';
import type { ApiResponse } from '../contracts.ts';
import type { Target, Verb } from './verb.ts';
import { shown } from '../answer/objects.ts';
import { liveObject } from './stored-object.ts';
import { update } from './update.ts';
import { callerOf } from './caller.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

function scaleOf(kind: Kind, object: Draft): Scale {
	const paths = kind.strategy.scale as ScalePaths;
	const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
	const selector = paths.selector(object);
	return {
		kind: 'Scale',
		apiVersion: 'autoscaling/v1',
		metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
		spec: paths.specReplicas(object) === 0 ? {} : { replicas: paths.specReplicas(object) },
		status: {
			replicas: paths.statusReplicas(object),
			...(selector === undefined
				? {}
				: {
						selector:
							typeof selector === 'string' ? selector : formatLabelSelector(selector, kind.resource.kind === 'ReplicationController'),
					}),
		},
	};
}

const get: Verb = async (parts, request, { kind, namespace, name }) => {
	const entry = parts.store.get(storeKey(kind, namespace, name));
	if (entry === undefined) throw notFound(kind.resource, name);
	return answerObject(request, 200, scaleOf(kind, await liveObject<Draft>(parts.parsed, kind, entry, request.signal)));
};

/** Changes the replicas of the stored object to those of the wanted Scale. */
async function change(
	parts: Parts,
	request: Parameters<Verb>[1],
	{ kind, namespace, name }: Target,
	options: ReturnType<typeof writeOptions>,
	wantedScale: (current: Scale) => Promise<KubeObject> | KubeObject,
): Promise<ApiResponse> {
	const transform = async (current: KubeObject | undefined): Promise<KubeObject> => {
		const scale = (await wantedScale(scaleOf(kind, current as Draft))) as Scale;
		const { name: given = '' } = scale.metadata ?? {};
		if (given !== '' && given !== name) throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
		const replicas = scale.spec?.replicas ?? 0;
		if (replicas < 0 && kind.custom === undefined)
			throw invalid(SCALE, name, [
				{ reason: 'FieldValueInvalid', message: `Invalid value: ${replicas}: must be greater than or equal to 0`, field: 'spec.replicas' },
			]);
		const draft = structuredClone(current) as Draft;
		kind.strategy.scale?.setReplicas(draft, replicas);
		draft.metadata.resourceVersion = scale.metadata?.resourceVersion;
		return draft;
	};
	const done = await update(
		parts,
		kind,
		{ namespace, name, subresource: 'scale', transform, createAbsent: false },
		callerOf(request, options),
	);
	return answerObject(request, 200, scaleOf(kind, shown(kind, done) as Draft));
}

const put: Verb = async (parts, request, target) => {
	const options = writeOptions('UpdateOptions', request.query);
	const wanted = await readObject(request, SCALE, options.fieldValidation);
	return change(parts, request, target, options, () => wanted);
};

const patch: Verb = async (parts, request, target) => {
	const asked = await readPatch(request);
	return change(parts, request, target, asked.options, (current) => patched(asked, SCALE, current as KubeObject, request.warn));
};

export const scaleVerbs: Readonly<Record<string, Verb>> = { get, update: put, patch };
