/** Secrets: what is sent as stringData is data. */
import type { Secret } from '../../../api/gen/types.ts';
import { fieldsAt, type Strategy } from './strategy.ts';

export const secretStrategy: Strategy = {
	ownFieldLabels: true,
	fields: fieldsAt('type'),
	decoded(object) {
		const secret = object as Secret;
		if (secret.stringData === undefined) return;
		const sent = Object.entries(secret.stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const);
		secret.data = Object.fromEntries([...Object.entries(secret.data ?? {}), ...sent]);
		delete secret.stringData;
	},
};
