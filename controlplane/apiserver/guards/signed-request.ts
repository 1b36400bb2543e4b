/** A certificate request that its key has not signed for, nobody may be asked to approve (upstream's validation looks at the signature as well). */
import { invalidValue } from '../../../api/field-error.ts';
import type { CertificateSigningRequest } from '../../../api/gen/types.ts';
import { messageOf } from '../../../base/errors.ts';
import { readSigningRequest } from '../../../wire/tls/authority.ts';
import type { Guard } from './guard.ts';

export const signedRequest: Guard = {
	async faults({ operation, object }, found) {
		// Nobody changes what was asked for.
		if (operation !== 'CREATE' || found.length > 0) return found;
		const { request = '' } = (object as unknown as CertificateSigningRequest).spec;
		try {
			await readSigningRequest(Buffer.from(request, 'base64').toString());
			return found;
		} catch (error) {
			return [invalidValue('spec.request', request, messageOf(error))];
		}
	},
};
