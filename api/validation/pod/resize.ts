/** The resize subresource: only cpu and memory of containers change, none goes, and the QoS class stays (upstream ValidatePodResize). */
import { fieldForbidden, invalidValue } from '../../field-error.ts';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../gen/types.ts';
import { qosClass } from '../../pod/qos.ts';
import { copyAsSent } from '../../sent-empty.ts';
import { sameTyped } from '../../same-typed.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { podBase } from './pod.ts';
import type { Errors } from '../rule.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const ONLY_CPU_AND_MEMORY = 'only cpu and memory resources are mutable';
const CONTAINER = 'core/v1.Container';
const LISTS = ['containers', 'initContainers'] as const;
type Amounts = Record<string, string>;

export function podResize(out: Errors, pod: Pod, old: Pod): void {
	const refused = old.metadata.annotations?.[MIRROR] !== undefined ? 'static' : old.spec?.os?.name === 'windows' ? 'windows' : undefined;
	if (refused !== undefined) {
		out.splice(0, out.length, fieldForbidden('[]', `${refused} pods cannot be resized`));
		return;
	}
	objectMetaUpdate(out, pod.metadata, old.metadata);
	podBase(out, pod, old);
	if ((old.status?.qosClass ?? qosClass(old)) !== qosClass(pod))
		out.push(invalidValue('spec', pod.status?.qosClass ?? '', 'Pod QOS Class may not change as a result of resizing'));
	if (!isSupported(old)) out.push(fieldForbidden('spec', 'Pod running on node without support for resize'));
	const munged: PodSpec = copyAsSent(pod.spec ?? { containers: [] });
	podLevel(out, munged, pod.spec?.resources, old.spec?.resources);
	if (!sameContainers(out, pod, old)) return;
	for (const list of ['initContainers', 'containers'] as const)
		for (const [i, container] of of(old, list).entries())
			removed(out, `spec.${list}[${i}].resources`, '', of(pod, list)[i]?.resources, container.resources);
	munged.containers = of({ ...pod, spec: munged }, 'containers').map((container, i) => {
		const before = of(old, 'containers')[i] as Container;
		const masked = withCpuAndMemoryOf(container, before);
		if (!sameTyped(CONTAINER, masked, before)) out.push(fieldForbidden('spec', ONLY_CPU_AND_MEMORY));
		return masked;
	});
	const init = of({ ...pod, spec: munged }, 'initContainers').map((container, i) =>
		initContainer(out, `spec.initContainers[${i}]`, container, of(old, 'initContainers')[i] as Container),
	);
	if (init.length > 0) munged.initContainers = init;
	if (out.length === 0 && !sameTyped('core/v1.PodSpec', munged, old.spec)) out.push(fieldForbidden('spec', ONLY_CPU_AND_MEMORY));
}

function of({ spec }: Pod, list: (typeof LISTS)[number]): readonly Container[] {
	return spec?.[list] ?? [];
}

function initContainer(out: Errors, path: string, container: Container, before: Container): Container {
	const masked = withCpuAndMemoryOf(container, before);
	if (!sameTyped(CONTAINER, masked, before))
		out.push(fieldForbidden(path, 'only cpu and memory resources for init or sidecar containers are mutable'));
	const isChanged = !sameTyped(CONTAINER, container, before);
	if (isChanged && container.restartPolicy !== 'Always')
		for (const { restartPolicy } of container.resizePolicy ?? [])
			if (restartPolicy === 'RestartContainer')
				out.push(fieldForbidden(path, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'));
	return masked;
}

/** A node says by its containers' statuses that it can; where none runs, nobody knows. */
function isSupported({ status }: Pod): boolean {
	const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
	return running === undefined || running.resources !== undefined;
}

function podLevel(out: Errors, munged: PodSpec, resources: ResourceRequirements | undefined, old: ResourceRequirements | undefined): void {
	const isSet = (given: ResourceRequirements | undefined): boolean =>
		Object.keys(given?.requests ?? {}).length + Object.keys(given?.limits ?? {}).length > 0;
	if (!isSet(resources) && !isSet(old)) return;
	if (old !== undefined && resources === undefined) {
		out.push(fieldForbidden('spec.resources', 'pod-level resources cannot be removed'));
		return;
	}
	removed(out, 'spec.resources', 'pod-level ', resources, old);
	if (resources === undefined) return;
	const masked = {
		...resources,
		requests: masks(resources.requests, old?.requests),
		limits: masks(resources.limits, old?.limits),
	};
	const isEmpty = !isSet(masked) && (masked.claims ?? []).length === 0;
	if (old === undefined && isEmpty) delete munged.resources;
	else munged.resources = masked;
	if (!sameTyped('core/v1.ResourceRequirements', munged.resources, old))
		out.push(fieldForbidden('spec', `${ONLY_CPU_AND_MEMORY} at pod-level`));
}

function removed(
	out: Errors,
	path: string,
	level: string,
	now: ResourceRequirements | undefined,
	old: ResourceRequirements | undefined,
): void {
	for (const part of ['requests', 'limits'] as const)
		if (Object.keys(old?.[part] ?? {}).some((name) => now?.[part]?.[name] === undefined))
			out.push(fieldForbidden(`${path}.${part}`, `${level}resource ${part} cannot be removed`));
}

function sameContainers(out: Errors, pod: Pod, old: Pod): boolean {
	const before = out.length;
	for (const list of LISTS) {
		const [now, then] = [of(pod, list), of(old, list)];
		if (now.length !== then.length) out.push(fieldForbidden(`spec.${list}`, `${list} may not be added or removed on resize`));
		else
			for (const [i, { name }] of then.entries())
				if (now[i]?.name !== name) out.push(fieldForbidden(`spec.${list}[${i}].name`, `${list} may not be renamed or reordered on resize`));
	}
	return out.length === before;
}

/** The container with cpu and memory as they were: what then differs may not change. */
function withCpuAndMemoryOf(container: Container, before: Container): Container {
	const requests = masks(container.resources?.requests, before.resources?.requests);
	const limits = masks(container.resources?.limits, before.resources?.limits);
	const resources = { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) };
	return { ...container, resources };
}

function masks(given: Amounts | undefined, old: Amounts | undefined): Amounts | undefined {
	const { cpu: _c, memory: _m, ...out } = given ?? {};
	for (const name of ['cpu', 'memory']) {
		const amount = old?.[name];
		if (amount !== undefined) out[name] = amount;
	}
	return Object.keys(out).length === 0 ? undefined : out;
}
