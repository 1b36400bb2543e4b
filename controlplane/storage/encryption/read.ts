/** An encryption configuration's text as what seals by it. The ciphers are loaded only where there is one. */
import type { Sealing } from './sealing.ts';
import type { Transformations } from './transformations.ts';

/** AppError InvalidArgument names the field that is wrong. */
export async function sealingOf(text: string, counted?: Transformations): Promise<Sealing> {
	const [{ parseEncryptionConfiguration }, { createSealing }] = await Promise.all([import('./configuration.ts'), import('./sealing.ts')]);
	return createSealing(parseEncryptionConfiguration(text), counted);
}
