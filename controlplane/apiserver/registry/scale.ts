/** The scale subresource: the replicas of a workload in the common form autoscaling/v1 Scale. */
import { NOTHING_RESET } from '../../../api/apply/reset-fields.ts';
import { objectShape } from '../../../api/apply/kind-shape.ts';
import { toParent, toScale } from '../../../api/apply/scale-managers.ts';
import type { ObjectShape } from '../../../api/apply/shape.ts';
import { trackUpdate } from '../../../api/apply/update.ts';
import { invalidValue, type FieldError } from '../../../api/field-error.ts';
import { timeOf } from '../../../api/time.ts';
import { objectMeta } from '../../../api/validation/metadata.ts';
import { dnsSubdomain } from '../../../api/validation/names.ts';
import { appliedTo } from './managed-fields.ts';
import { placeIn } from './create.ts';
import type { Scale } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { formatLabelSelector } from '../../../api/selector/label-text.ts';
import { badRequest, conflict, internalError, invalid, notFound } from '../../../api/status.ts';
import { answerScale } from '../answer/scale-answer.ts';
import { readObject } from '../request/body.ts';
import { writeOptions } from '../request/options.ts';
import { checkPathName } from '../request/path-name.ts';
import type { Draft, ScalePaths } from '../strategy/strategy.ts';
import { admitMutating, admitValidating, attributesOf, type Caller, type Parts } from './context.ts';
import { storeKey, type Kind } from './kinds.ts';
import { decodedApplied, patched } from './patch.ts';
import { readPatch } from './patch-request.ts';
import type { ApiResponse } from '../contracts.ts';
import type { Target, Verb } from './verb.ts';
import { shown } from '../answer/objects.ts';
import { liveObject } from './stored-object.ts';
import { anotherUid, update } from './update.ts';
import { callerOf } from './caller.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const SHAPE = (): ObjectShape => objectShape(SCALE.group, SCALE.version, SCALE.kind) as ObjectShape;

/** What stands for replicas that a custom resource has not: the smallest int32, as upstream's signal. */
const NEVER_SET = -(2 ** 31);

function scaleOf(kind: Kind, object: Draft): Scale & KubeObject {
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
	checkPathName(name);
	const entry = parts.store.get(storeKey(kind, namespace, name));
	if (entry === undefined) throw notFound(kind.resource, name);
	const object = await liveObject<Draft>(parts.parsed, kind, entry, request.signal);
	const absent = kind.strategy.scale?.absent?.(object);
	if (absent !== undefined) throw internalError(`the spec replicas field ${JSON.stringify(absent)} does not exist`);
	return answerScale(request, scaleOf(kind, object), kind.custom !== undefined, parts.clock.now());
};

/** What makes the wanted Scale of the current one, with its managedFields. */
type Wanted = (current: Scale & KubeObject, caller: Caller) => Scale;

/** Changes the replicas of the stored object to those of the wanted Scale. */
async function change(
	parts: Parts,
	request: Parameters<Verb>[1],
	{ kind, namespace, name }: Target,
	options: ReturnType<typeof writeOptions>,
	wanted: Wanted,
	isPatch: boolean,
): Promise<ApiResponse> {
	const { paths, setReplicas } = kind.strategy.scale as ScalePaths;
	const caller = callerOf(request, options);
	const transform = async (current: KubeObject | undefined): Promise<KubeObject> => {
		const parent = { entries: current?.metadata.managedFields, apiVersion: kind.apiVersion, paths };
		const before = scaleOf(kind, current as Draft);
		const absent = kind.strategy.scale?.absent?.(current as Draft);
		if (absent !== undefined) before.spec = { replicas: NEVER_SET };
		const managedFields = toScale(parent);
		if (managedFields.length > 0) before.metadata = { ...before.metadata, managedFields };
		const scale = wanted(before, caller);
		if (absent !== undefined && scale.spec?.replicas === NEVER_SET)
			throw badRequest(`the spec replicas field ${JSON.stringify(absent)} cannot be empty`);
		placeIn(kind, namespace, scale as Scale & KubeObject);
		const attributes = {
			...attributesOf(kind, 'UPDATE', caller, { namespace, name, subresource: 'scale' }, scale as Scale & KubeObject, before),
			...{ kind: SCALE.kind, kindGroup: SCALE.group, kindVersion: SCALE.version },
		};
		await admitMutating(parts, attributes, caller.signal);
		validate(kind, name, scale, current as KubeObject, isPatch);
		const draft = structuredClone(current) as Draft;
		setReplicas(draft, scale.spec?.replicas ?? 0);
		// Asked now is what the workload's scale comes to, whatever else was sent.
		await admitValidating(parts, { ...attributes, object: scaleOf(kind, draft) }, caller.signal);
		draft.metadata.resourceVersion = scale.metadata?.resourceVersion;
		const entries = toParent(parent, scale.metadata?.managedFields);
		if (entries.length === 0) delete draft.metadata.managedFields;
		else draft.metadata.managedFields = entries;
		return draft;
	};
	const asked = {
		...{ namespace, name, subresource: 'scale', transform },
		...{ createAbsent: false, tracked: true, admitted: true, unversioned: true, patched: isPatch },
	};
	const done = await update(parts, kind, asked, caller);
	return answerScale(request, scaleOf(kind, shown(kind, done) as Draft), kind.custom !== undefined, parts.clock.now());
}

function checkName(given: string, name: string): void {
	if (given === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
	if (given !== name) throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

function validate(kind: Kind, name: string, { metadata = {}, spec }: Scale, current: KubeObject, isPatch: boolean): void {
	const { uid } = current.metadata;
	checkName(metadata.name ?? '', name);
	if (kind.custom !== undefined) {
		if (!isPatch && (metadata.uid ?? uid) !== uid) throw anotherUid(kind, name, metadata.uid ?? '', current);
		return;
	}
	const errors: FieldError[] = [];
	objectMeta(errors, metadata, { name: dnsSubdomain, namespaced: true, finalizers: false });
	const replicas = spec?.replicas ?? 0;
	if (replicas < 0) errors.push(invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'));
	if (errors.length > 0) throw invalid(SCALE, name, errors);
	const { group, plural } = kind.resource;
	if ((metadata.uid ?? uid) !== uid && !isPatch) throw anotherUid(kind, name, metadata.uid ?? '', current);
	if ((metadata.uid ?? uid) !== uid)
		throw conflict(
			{ group, plural: `${plural}/scale` },
			name,
			`Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`,
		);
}

const put: Verb = async (parts, request, target) => {
	const options = writeOptions('UpdateOptions', request.query);
	const scale = (await readObject(request, SCALE, options.fieldValidation)) as Scale & KubeObject;
	// Before there is anything to be found.
	checkName(scale.metadata?.name ?? '', target.name);
	return change(parts, request, target, options, (current, caller) => tracked(parts, current, structuredClone(scale), caller), false);
};

const patch: Verb = async (parts, request, target) => {
	const asked = await readPatch(request, target.kind.custom !== undefined);
	return change(
		parts,
		request,
		target,
		asked.options,
		(current, caller) => {
			if (asked.type === 'apply') {
				const made = appliedTo(
					{ resource: SCALE, shape: SHAPE(), reset: NOTHING_RESET },
					current,
					asked,
					'scale',
					caller,
					parts.clock.now(),
				);
				return decodedApplied(SCALE, made) as Scale;
			}
			return tracked(parts, current, patched(asked, SCALE, current, request.warn) as Scale & KubeObject, caller);
		},
		true,
	);
};

/** The Scale with its owners. */
function tracked(parts: Parts, old: KubeObject, scale: Scale & KubeObject, { manager }: Caller): Scale {
	const input = { old, new: scale, manager, subresource: 'scale', now: timeOf(parts.clock.now()), reset: NOTHING_RESET };
	scale.metadata.managedFields = trackUpdate(SHAPE(), input);
	return scale;
}

export const scaleVerbs: Readonly<Record<string, Verb>> = { get, update: put, patch };
