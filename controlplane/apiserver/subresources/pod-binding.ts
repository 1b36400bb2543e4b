/** pods/binding and bindings: gives a pod its node, once. */
import { withCondition } from '../../../api/conditions.ts';
import type { Binding, Pod } from '../../../api/gen/types.ts';
import { goQuote } from '../../../api/go-quote.ts';
import { PODS } from '../../../api/resources.ts';
import { badRequest, conflict, unknownFailure, type StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, ApiResponse, ObjectWriter, SubresourceHandler } from '../contracts.ts';
import type { BodyCodec } from '../request/body-codec.ts';
import { checkPathName } from '../request/path-name.ts';
import { CREATED, isDryRun } from './success.ts';

interface Deps {
	readonly writer: ObjectWriter;
	readonly codec: BodyCodec;
	readonly clock: Clock;
}

const BINDING = { group: '', version: 'v1', kind: 'Binding' };

/** Handlers of POST pods/NAME/binding and of the older POST bindings. */
export function podBinding(deps: Deps): readonly SubresourceHandler[] {
	const handle = (request: ApiRequest, target: { readonly namespace: string; readonly name: string }): Promise<ApiResponse> =>
		bind(deps, request, target);
	return [
		{ group: '', resource: 'pods', subresource: 'binding', handle },
		{ group: '', resource: 'bindings', subresource: '', handle },
	];
}

async function bind(
	{ writer, codec, clock }: Deps,
	request: ApiRequest,
	target: { readonly namespace: string; readonly name: string },
): Promise<ApiResponse> {
	const binding = await codec.read<Binding>(request, BINDING);
	const own = binding.metadata.name ?? '';
	if (target.name !== '' && own !== target.name) throw badRequest('name in URL does not match name in Binding object');
	const name = target.name === '' ? own : target.name;
	checkTarget(binding);
	checkPathName(name);
	const options = { dryRun: isDryRun(request.query), signal: request.signal };
	await writer.change(PODS, `${target.namespace}/${name}`, (pod) => bound(pod, binding, name, clock.now()), options);
	return codec.write(request, 201, CREATED);
}

/** The pod on its node. StatusError Conflict where it may not be bound. Pure. */
export function bound(pod: Pod, binding: Binding, name: string, now: number): Pod {
	const refuse = (why: string): StatusError => conflict({ group: '', plural: 'pods/binding' }, name, why);
	const { spec, metadata } = pod;
	const { uid = '', resourceVersion = '' } = binding.metadata;
	if (uid !== '' && uid !== metadata.uid) throw stale(pod, `UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`);
	if (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion)
		throw stale(pod, `ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`);
	if (metadata.deletionTimestamp !== undefined) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
	if ((spec?.nodeName ?? '') !== '') throw refuse(`pod ${name} is already assigned to node "${spec?.nodeName}"`);
	if ((spec?.schedulingGates ?? []).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
	const { nominatedNodeName: _, ...status } = pod.status ?? {};
	const conditions = withCondition(status.conditions, { type: 'PodScheduled', status: 'True' }, now);
	const annotations = { ...metadata.annotations, ...binding.metadata.annotations };
	const labels = { ...metadata.labels, ...binding.metadata.labels };
	return {
		...pod,
		metadata: {
			...metadata,
			...(Object.keys(annotations).length === 0 ? {} : { annotations }),
			...(Object.keys(labels).length === 0 ? {} : { labels }),
		},
		spec: { containers: [], ...spec, nodeName: binding.target.name },
		status: { ...status, conditions },
	};
}

/** The store's own refusal, as upstream's words it. */
function stale({ metadata: { namespace, name = '' } }: Pod, why: string): StatusError {
	const where = `Key: /registry/pods/${namespace}/${name}, ResourceVersion: 0`;
	return conflict(PODS, name, `StorageError: invalid object, Code: 4, ${where}, AdditionalErrorMsg: Precondition failed: ${why}`);
}

/** Upstream answers 500 with the bare text here, of several errors with a list. */
function checkTarget({ target }: Partial<Binding>): void {
	const { kind = '', name = '' } = target ?? {};
	const wrong = [
		...(kind === '' || kind === 'Node' ? [] : [`target.kind: Unsupported value: ${goQuote(kind)}: supported values: "Node", "<empty>"`]),
		...(name === '' ? ['target.name: Required value'] : []),
	];
	if (wrong.length > 0) throw unknownFailure(wrong.length === 1 ? (wrong[0] as string) : `[${wrong.join(', ')}]`);
}
