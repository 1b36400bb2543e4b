/** Updates of pods: few fields may change, somewhat more while the pod waits for its gates (core ValidatePodUpdate). */
import { fieldForbidden, invalidValue } from '../../field-error.ts';
import type { Affinity, Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec, Toleration } from '../../gen/types.ts';
import { jsonDiff } from '../../internal/diff.ts';
import { internalForm } from '../../internal/form.ts';
import { copyAsSent, forgetEmpty } from '../../sent-empty.ts';
import { sameTyped } from '../../same-typed.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { annotationUpdates } from './annotation-updates.ts';
import { podBase } from './pod.ts';
import { present, same, type Errors } from '../rule.ts';
import { tolerations } from './scheduling.ts';

const UPDATE_TEXT =
	'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

const podForm = (spec: PodSpec): unknown => internalForm('core/v1.PodSpec', spec);

export function podUpdate(out: Errors, pod: Pod, old: Pod): void {
	objectMetaUpdate(out, pod.metadata ?? {}, old.metadata ?? {});
	podBase(out, pod, old);
	annotationUpdates(out, pod, old);
	const spec = { ...pod.spec, containers: pod.spec?.containers ?? [] };
	const before = { ...old.spec, containers: old.spec?.containers ?? [] };
	for (const key of ['containers', 'initContainers'] as const)
		if (!containerUpdates(out, `spec.${key}`, spec[key] ?? [], before[key] ?? [])) return;
	if (!deadline(out, spec.activeDeadlineSeconds, before.activeDeadlineSeconds)) return;
	addedTolerations(out, spec.tolerations ?? [], before.tolerations ?? []);
	const known = new Set((before.schedulingGates ?? []).map(({ name }) => name));
	for (const [i, { name }] of (spec.schedulingGates ?? []).entries())
		if (!known.has(name))
			out.push(fieldForbidden(`spec.schedulingGates[${i}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`));
	const munged = copyAsSent(spec);
	restoreImages(munged.containers, before.containers);
	restoreImages(munged.initContainers ?? [], before.initContainers ?? []);
	forgetEmpty(munged, ['initContainers', 'tolerations', 'schedulingGates']);
	munged.activeDeadlineSeconds = before.activeDeadlineSeconds;
	munged.schedulingGates = before.schedulingGates;
	munged.tolerations = before.tolerations;
	if ((before.terminationGracePeriodSeconds ?? 0) < 0 && munged.terminationGracePeriodSeconds === 1)
		munged.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
	if ((before.schedulingGates ?? []).length > 0) gatedUpdate(out, munged, before);
	if (!sameTyped('core/v1.PodSpec', munged, before))
		out.push(fieldForbidden('spec', `${UPDATE_TEXT}\n${jsonDiff(podForm(before), podForm(munged))}`));
}

/** False: nothing else is looked at. */
function containerUpdates(out: Errors, path: string, list: readonly Container[], before: readonly Container[]): boolean {
	if (list.length !== before.length) {
		out.push(fieldForbidden(path, 'pod updates may not add or remove containers'));
		return false;
	}
	for (const [i, { image }] of list.entries())
		if (present(out, `${path}[${i}].image`, image) && image?.trim() !== image)
			out.push(invalidValue(`${path}[${i}].image`, image, 'must not have leading or trailing whitespace'));
	return true;
}

/** False: nothing else is looked at. */
function deadline(out: Errors, value: number | undefined, before: number | undefined): boolean {
	const path = 'spec.activeDeadlineSeconds';
	if (value === undefined) {
		if (before !== undefined) out.push(invalidValue(path, null, 'must not update from a positive integer to nil value'));
		return true;
	}
	const inRange = value >= 0 && value <= 2_147_483_647;
	if (inRange && (before === undefined || before >= value)) return true;
	out.push(
		invalidValue(path, value, inRange ? 'must be less than or equal to previous value' : 'must be between 0 and 2147483647, inclusive'),
	);
	return false;
}

function addedTolerations(out: Errors, list: readonly Toleration[], before: readonly Toleration[]): void {
	const path = 'spec.tolerations';
	const timeless = (toleration: Toleration): object => ({ ...toleration, tolerationSeconds: 0 });
	if (before.every((old) => list.some((toleration) => same(timeless(toleration), timeless(old))))) tolerations(out, path, list);
	else out.push(fieldForbidden(path, 'existing toleration can not be modified except its tolerationSeconds'));
}

function restoreImages(list: readonly Container[], before: readonly Container[]): void {
	for (const [i, container] of list.entries()) {
		const image = before[i]?.image;
		if (image === undefined) delete container.image;
		else container.image = image;
	}
}

/** While it waits, where it may run may be narrowed. What was told of is made as before. */
function gatedUpdate(out: Errors, munged: PodSpec, before: PodSpec): void {
	const [selector, oldSelector] = [munged.nodeSelector ?? {}, before.nodeSelector ?? {}];
	if (Object.entries(oldSelector).some(([key, value]) => selector[key] !== value)) {
		const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
		out.push(invalidValue('spec.nodeSelector', munged.nodeSelector ?? null, text));
	}
	munged.nodeSelector = before.nodeSelector;
	const [affinity, oldAffinity] = [munged.affinity?.nodeAffinity, before.affinity?.nodeAffinity];
	if (same(affinity, oldAffinity)) return;
	narrowedAffinity(out, affinity, oldAffinity);
	munged.affinity = withNodeAffinity(munged.affinity, before.affinity);
}

function withNodeAffinity(now: Affinity | undefined, before: Affinity | undefined): Affinity | undefined {
	const { nodeAffinity } = before ?? {};
	if (now === undefined) return nodeAffinity === undefined ? undefined : { nodeAffinity };
	if (before === undefined && now.podAffinity === undefined && now.podAntiAffinity === undefined) return undefined;
	const { nodeAffinity: _, ...others } = now;
	return nodeAffinity === undefined ? others : { ...others, nodeAffinity };
}

function narrowedAffinity(out: Errors, now: NodeAffinity | undefined, before: NodeAffinity | undefined): void {
	const path = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
	const oldTerms = before?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
	const required = now?.requiredDuringSchedulingIgnoredDuringExecution;
	const terms = required?.nodeSelectorTerms ?? [];
	const form = (term: NodeSelectorTerm): unknown => internalForm('core/v1.NodeSelectorTerm', term);
	if (oldTerms.length > 0 && oldTerms.length !== terms.length) {
		const shown = required === undefined ? null : terms.map(form);
		out.push(invalidValue(path, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'));
		return;
	}
	for (const [i, old] of oldTerms.entries()) {
		const term = terms[i] ?? {};
		if (!isNarrowed(term, old))
			out.push(invalidValue(`${path}[${i}]`, form(term), 'only additions are allowed (no mutations or deletions)'));
	}
}

function isNarrowed(now: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
	const lists = (['matchExpressions', 'matchFields'] as const).map((key) => [now[key] ?? [], before[key] ?? []] as const);
	if (lists.every(([, old]) => old.length === 0)) return lists.every(([list]) => list.length === 0);
	return lists.every(([list, old]) => same(list.slice(0, old.length), old));
}
