/** Devices that are in use already are given out only in namespaces that say so (upstream's AuthorizedForAdmin). */
import { fieldForbidden, type FieldError } from '../../../api/field-error.ts';
import type { DeviceClaim, ResourceClaimTemplate, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { NAMESPACES } from '../../../api/resources.ts';
import type { ObjectReader } from '../contracts.ts';
import type { Guard, GuardedWrite } from './guard.ts';

const LABEL = 'resource.kubernetes.io/admin-access';

/** Of templates, where what is asked for is never changed. */
export function templateGuard(objects: ObjectReader): Guard {
	return {
		faults(write, found) {
			if (write.operation !== 'CREATE') return found;
			const { spec } = write.object as unknown as ResourceClaimTemplate;
			return [...askingFaults(objects, write, spec?.spec?.devices), ...found];
		},
	};
}

/** The first request that asks for it. */
export function askingFaults(objects: ObjectReader, write: GuardedWrite, devices: DeviceClaim | undefined): readonly FieldError[] {
	const at = (devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
	return at < 0 ? [] : fault(objects, write, `spec.devices.requests[${at}].adminAccess`);
}

/** The first device that is given so now. */
export function givingFaults(objects: ObjectReader, write: GuardedWrite): readonly FieldError[] {
	const results = (claim: object | undefined): readonly { readonly adminAccess?: boolean | undefined }[] =>
		(claim as ResourceResourceClaim | undefined)?.status?.allocation?.devices?.results ?? [];
	if (results(write.oldObject).some(({ adminAccess }) => adminAccess === true)) return [];
	const at = results(write.object).findIndex(({ adminAccess }) => adminAccess === true);
	return at < 0 ? [] : fault(objects, write, `status.allocation.devices.results[${at}].adminAccess`);
}

function fault(objects: ObjectReader, { namespace }: GuardedWrite, path: string): readonly FieldError[] {
	if (objects.get(NAMESPACES, namespace)?.metadata.labels?.[LABEL] === 'true') return [];
	return [fieldForbidden(path, `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`)];
}
