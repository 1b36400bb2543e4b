/** How admission says no: a Forbidden status that names the object. */
import { forbidden, type StatusError } from '../../../api/status.ts';
import type { AdmissionAttributes } from '../contracts.ts';

/** `pods "a" is forbidden: message`, by the name that the client used. An object still without a name goes by its generateName. */
export function refusal(attributes: AdmissionAttributes, message: string): StatusError {
	const { group, resource } = attributes.requested ?? attributes;
	return forbidden({ group, plural: resource }, objectName(attributes), message);
}

function objectName({ name, object }: AdmissionAttributes): string {
	if (name !== '') return name;
	const meta = object?.metadata;
	return [meta?.name, meta?.generateName].find((n) => n !== undefined && n !== '') ?? 'Unknown';
}
