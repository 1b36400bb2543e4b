/** LimitRanger: gives containers a namespace's default requests and limits, and refuses what is outside its bounds. */
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '../../../../api/gen/types.ts';
import { resourceList } from '../../../../api/pod/amounts.ts';
import { podLimits, podRequests } from '../../../../api/pod/resources.ts';
import { LIMIT_RANGES } from '../../../../api/resources.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { violationsOf, type Amounts } from './limit-constraints.ts';
import { refusal } from '../refusal.ts';
import { isFor, isPod, written } from '../target.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

export class LimitRanger implements AdmissionPlugin {
	readonly name = 'LimitRanger';
	readonly #objects: ObjectReader;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
	}

	/** Pods as they are made and resized; what is on its way out is left alone. */
	handles(attributes: AdmissionAttributes): boolean {
		const { operation, oldObject } = attributes;
		const isChange = operation === 'UPDATE' && oldObject?.metadata.deletionTimestamp === undefined;
		if (isPod(attributes)) return operation === 'CREATE';
		if (isFor(attributes, '', 'pods', 'resize')) return isChange;
		return isFor(attributes, '', 'persistentvolumeclaims') && (operation === 'CREATE' || isChange);
	}

	mutate(attributes: AdmissionAttributes): void {
		if (attributes.resource === 'pods') for (const range of this.#ranges(attributes)) setDefaults(written<Pod>(attributes), range);
	}

	validate(attributes: AdmissionAttributes): void {
		for (const range of this.#ranges(attributes)) {
			const problems = new Set((range.spec?.limits ?? []).flatMap((item) => check(attributes, item)));
			const [first, ...more] = problems;
			if (first !== undefined) throw refusal(attributes, more.length === 0 ? first : `[${[...problems].join(', ')}]`);
		}
	}

	#ranges(attributes: AdmissionAttributes): readonly LimitRange[] {
		return this.#objects.list(LIMIT_RANGES, attributes.namespace);
	}
}

function check(attributes: AdmissionAttributes, item: LimitRangeItem): readonly string[] {
	if (attributes.resource === 'persistentvolumeclaims') {
		if (item.type !== 'PersistentVolumeClaim') return [];
		return violationsOf(item, written<PersistentVolumeClaim>(attributes).spec?.resources?.requests ?? {}, undefined);
	}
	const pod = written<Pod>(attributes);
	if (item.type === 'Pod') return violationsOf(item, resourceList(podRequests(pod, false)), resourceList(podLimits(pod, false)));
	if (item.type !== 'Container') return [];
	const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
	return containers.flatMap((c) => violationsOf(item, c.resources?.requests ?? {}, c.resources?.limits ?? {}));
}

/** Fills in what containers leave open, and says so in an annotation. */
function setDefaults(pod: Pod, range: LimitRange): void {
	const items = (range.spec?.limits ?? []).filter((item) => item.type === 'Container');
	const limits: Amounts = Object.assign({}, ...items.map((item) => item.default ?? {}));
	const requests: Amounts = Object.assign({}, ...items.map((item) => item.defaultRequest ?? {}));
	const notes: string[] = [];
	for (const [kind, containers] of [
		['container', pod.spec?.containers ?? []],
		['init container', pod.spec?.initContainers ?? []],
	] as const)
		for (const container of containers) {
			const resources = container.resources ?? {};
			const addedRequests = missing(requests, resources.requests);
			const addedLimits = missing(limits, resources.limits);
			if (addedRequests.length > 0) notes.push(`${addedRequests.join(', ')} request for ${kind} ${container.name}`);
			if (addedLimits.length > 0) notes.push(`${addedLimits.join(', ')} limit for ${kind} ${container.name}`);
			if (addedRequests.length + addedLimits.length === 0) continue;
			container.resources = {
				...resources,
				...(addedLimits.length === 0 ? {} : { limits: { ...limits, ...resources.limits } }),
				...(addedRequests.length === 0 ? {} : { requests: { ...requests, ...resources.requests } }),
			};
		}
	if (notes.length > 0)
		pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

function missing(defaults: Amounts, own: Amounts | undefined): readonly string[] {
	return Object.keys(defaults)
		.filter((name) => own?.[name] === undefined)
		.sort();
}
