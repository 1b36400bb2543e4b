/** AlwaysDeny: refuses every write. Off unless enabled. */
import type { AdmissionAttributes, AdmissionPlugin } from '../contracts.ts';
import { refusal } from './refusal.ts';

export function alwaysDeny(): AdmissionPlugin {
	const deny = (attributes: AdmissionAttributes): never => {
		throw refusal(attributes, 'admission control is denying all modifications');
	};
	return { name: 'AlwaysDeny', handles: () => true, mutate: deny, validate: deny };
}
