/** How a Service is refused whose addresses or ports cannot be had. */
import type { FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { invalid } from '../../../api/status.ts';

export function refused({ metadata }: KubeObject, errors: readonly FieldError[]): Error {
	return invalid({ group: '', kind: 'Service' }, metadata.name ?? '', errors);
}
