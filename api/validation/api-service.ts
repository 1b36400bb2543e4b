/** APIServices: their name is their version and group. */
import { invalidValue, notSupported, required } from '../field-error.ts';
import type { APIService } from '../gen/types.ts';
import { objectMeta, genericMetaUpdate } from './metadata.ts';
import { dns1035Label, dnsSubdomain, pathSegment, portNumber } from './names.ts';
import { present, texts, type Errors } from './rule.ts';

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1000;

export function apiService(out: Errors, { metadata, spec }: APIService): void {
	const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0, service, caBundle = '' } = spec ?? {};
	const insecure = spec?.insecureSkipTLSVerify ?? false;
	const wanted = `${version}.${group}`;
	const named = (name: string): readonly string[] => {
		const failures = pathSegment(name);
		return failures.length > 0 || name === wanted ? failures : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
	};
	objectMeta(out, metadata, { name: named, namespaced: false, finalizers: false });
	if (group === '' && version !== 'v1') out.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
	if (group !== '') texts(out, 'spec.group', group, dnsSubdomain(group));
	texts(out, 'spec.version', version, dns1035Label(version));
	if (groupPriorityMinimum <= 0 || groupPriorityMinimum > MAX_GROUP_PRIORITY)
		out.push(invalidValue('spec.groupPriorityMinimum', groupPriorityMinimum, `must be positive and less than ${MAX_GROUP_PRIORITY}`));
	if (versionPriority <= 0 || versionPriority > MAX_VERSION_PRIORITY)
		out.push(invalidValue('spec.versionPriority', versionPriority, `must be positive and less than ${MAX_VERSION_PRIORITY}`));
	if (service === undefined) {
		if (caBundle !== '')
			out.push(
				invalidValue('spec.caBundle', `${Buffer.from(caBundle, 'base64').length} bytes`, 'local APIServices may not have a caBundle'),
			);
		if (insecure) out.push(invalidValue('spec.insecureSkipTLSVerify', insecure, 'local APIServices may not have insecureSkipTLSVerify'));
		return;
	}
	present(out, 'spec.service.namespace', service.namespace);
	present(out, 'spec.service.name', service.name);
	const port = service.port ?? 443;
	const complaints = portNumber(port);
	if (complaints.length > 0) out.push(invalidValue('spec.service.port', port, `port is not valid: ${complaints.join(', ')}`));
	if (insecure && caBundle !== '') out.push(invalidValue('spec.insecureSkipTLSVerify', insecure, 'may not be true if caBundle is present'));
}

export function apiServiceUpdate(out: Errors, object: APIService, old: APIService): void {
	genericMetaUpdate(out, object.metadata, old.metadata);
	apiService(out, object);
}

export function apiServiceStatus(out: Errors, object: APIService, old: APIService): void {
	genericMetaUpdate(out, object.metadata, old.metadata);
	for (const [i, { status }] of (object.status?.conditions ?? []).entries())
		if (!['True', 'False', 'Unknown'].includes(status))
			out.push(notSupported(`status.conditions[${i}].status`, status, ['True', 'False', 'Unknown']));
}
