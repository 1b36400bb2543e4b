/** Groups of the Kubernetes community need an annotation that says who approved them. */
import { invalidValue, required } from '../../field-error.ts';
import type { CustomResourceDefinition } from '../../gen/types.ts';
import { isRequestUri } from '../../structural/request-uri.ts';
import type { Errors } from '../rule.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

export type Approval = 'missing' | 'approved' | 'bypassed' | 'invalid';

/** Undefined: the group is nobody's but its own. */
export function approvalOf({ metadata, spec }: CustomResourceDefinition): { readonly state: Approval; readonly value: string } | undefined {
	const { group = '' } = spec;
	if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return undefined;
	const value = metadata.annotations?.[ANNOTATION] ?? '';
	if (value === '') return { state: 'missing', value };
	if (value.startsWith('unapproved')) return { state: 'bypassed', value };
	const hasHost = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?]*@)?[^/?@]/.test(value);
	return { state: hasHost && isRequestUri(value) ? 'approved' : 'invalid', value };
}

export function apiApproval(out: Errors, object: CustomResourceDefinition, old: CustomResourceDefinition | undefined): void {
	const approval = approvalOf(object);
	if (approval === undefined) return;
	const before = old === undefined ? undefined : approvalOf(old);
	if (before?.state === approval.state) return;
	const path = `metadata.annotations[${ANNOTATION}]`;
	if (approval.state === 'missing') out.push(required(path, `protected groups must have approval annotation "${ANNOTATION}", ${SEE}`));
	if (approval.state === 'invalid')
		out.push(
			invalidValue(
				path,
				approval.value,
				`protected groups must have approval annotation "${ANNOTATION}" with either a URL or a reason starting with "unapproved", ${SEE}`,
			),
		);
}
