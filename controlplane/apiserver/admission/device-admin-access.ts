/** Devices that are in use already are given out only in namespaces that say so; upstream's storage of claims looks at that (AuthorizedForAdmin). */
import type { ResourceClaimTemplate, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { fieldForbidden } from '../../../api/field-error.ts';
import { NAMESPACES } from '../../../api/resources.ts';
import { invalid } from '../../../api/status.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../contracts.ts';
import { isFor, stored, written } from './target.ts';

const GROUP = 'resource.k8s.io';
const LABEL = 'resource.kubernetes.io/admin-access';

export function deviceAdminAccess(objects: ObjectReader): AdmissionPlugin {
	return {
		name: 'DeviceAdminAccessCheck',
		handles: (attributes) =>
			attributes.operation === 'CREATE'
				? isFor(attributes, GROUP, 'resourceclaims') || isFor(attributes, GROUP, 'resourceclaimtemplates')
				: attributes.operation === 'UPDATE' && isFor(attributes, GROUP, 'resourceclaims', 'status'),
		validate(attributes) {
			const path = attributes.operation === 'CREATE' ? askedAt(attributes) : givenAt(attributes);
			if (path === undefined || objects.get(NAMESPACES, attributes.namespace)?.metadata.labels?.[LABEL] === 'true') return;
			const text = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
			const kind = { group: GROUP, kind: attributes.kind };
			throw invalid(kind, attributes.object?.metadata.name ?? attributes.name, [fieldForbidden(path, text)]);
		},
	};
}

/** The first request that asks for it. */
function askedAt(attributes: AdmissionAttributes): string | undefined {
	const isTemplate = attributes.resource === 'resourceclaimtemplates';
	const spec = isTemplate ? written<ResourceClaimTemplate>(attributes).spec?.spec : written<ResourceResourceClaim>(attributes).spec;
	const at = (spec?.devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
	return at < 0 ? undefined : `spec.devices.requests[${at}].adminAccess`;
}

/** The first device that is given so now. */
function givenAt(attributes: AdmissionAttributes): string | undefined {
	const results = (claim: ResourceResourceClaim | undefined): readonly { readonly adminAccess?: boolean | undefined }[] =>
		claim?.status?.allocation?.devices?.results ?? [];
	if (results(stored(attributes)).some(({ adminAccess }) => adminAccess === true)) return undefined;
	const at = results(written(attributes)).findIndex(({ adminAccess }) => adminAccess === true);
	return at < 0 ? undefined : `status.allocation.devices.results[${at}].adminAccess`;
}
