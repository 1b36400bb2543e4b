/** A pod template against the selector of the workload that owns it. */
import { fieldForbidden, invalidValue, notSupported } from '../../field-error.ts';
import type { LabelSelector, PodTemplateSpec } from '../../gen/types.ts';
import { asSent } from '../../sent-empty.ts';
import { annotations, labels } from '../metadata.ts';
import { podAnnotations, profileAnnotations } from './annotations.ts';
import type { PodOptions } from './options.ts';
import { podSpec } from './spec.ts';
import type { Errors } from '../rule.ts';
import { selects } from '../selectors.ts';

export function podTemplate(out: Errors, path: string, template: PodTemplateSpec | undefined, options: PodOptions): void {
	labels(out, `${path}.labels`, template?.metadata?.labels);
	annotations(out, `${path}.annotations`, template?.metadata?.annotations);
	const spec = template?.spec ?? { containers: [] };
	podAnnotations(out, `${path}.annotations`, template?.metadata?.annotations ?? {}, spec, options);
	podSpec(out, `${path}.spec`, spec, options);
	profileAnnotations(out, `${path}.spec`, template?.metadata?.annotations ?? {}, spec);
	if ((template?.spec?.ephemeralContainers ?? []).length > 0)
		out.push(fieldForbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
}

export function selectorMatchesTemplate(
	out: Errors,
	path: string,
	selector: LabelSelector | undefined,
	template: PodTemplateSpec | undefined,
): void {
	if (selector !== undefined && isEmptySelector(selector)) return;
	if (selects(selector, template?.metadata?.labels ?? {}) !== true) isNotSelected(out, path, template);
}

export function isNotSelected(out: Errors, path: string, template: PodTemplateSpec | undefined): void {
	const given = asSent(template?.metadata, 'labels') ?? null;
	out.push(invalidValue(`${path}.metadata.labels`, given, '`selector` does not match template `labels`'));
}

export function isEmptySelector(selector: LabelSelector | undefined): boolean {
	return Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
}

export function alwaysRestarts(out: Errors, path: string, template: PodTemplateSpec | undefined): void {
	const policy = template?.spec?.restartPolicy;
	if (policy !== undefined && policy !== 'Always') out.push(notSupported(`${path}.spec.restartPolicy`, policy, ['Always']));
}

export function noDeadline(out: Errors, path: string, template: PodTemplateSpec | undefined, kind: string): void {
	if (template?.spec?.activeDeadlineSeconds !== undefined)
		out.push(fieldForbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`));
}
