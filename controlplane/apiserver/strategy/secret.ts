/** Secrets: what is sent as stringData is data. */
import type { Secret } from '../../../api/gen/types.ts';
import { fieldsAt, type Strategy } from './strategy.ts';

export const secretStrategy: Strategy = {
	ownFieldLabels: true,
	fields: fieldsAt('type'),
	decoded(object) {
		const secret = object as Secret;
		if (secret.stringData === undefined) return;
		const data: Record<string, string> = { ...secret.data };
		for (const [key, text] of Object.entries(secret.stringData)) data[key] = Buffer.from(text).toString('base64');
		secret.data = data;
		delete secret.stringData;
	},
};
