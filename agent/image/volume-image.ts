/** The image of an image volume, brought onto the node by its pull policy. */
import type { Pod, Volume } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { normalizedImage } from './name.ts';
import { mayUse, pullFor } from './pull.ts';

/** Its id. */
export async function ensureVolumeImage(pod: Pod, volume: Volume, context: AgentContext, signal: AbortSignal): Promise<string> {
	const reference = volume.image?.reference ?? '';
	const policy =
		volume.image?.pullPolicy ?? (/:latest$|^[^:@]*$/.test(reference.slice(reference.lastIndexOf('/') + 1)) ? 'Always' : 'IfNotPresent');
	const name = normalizedImage(reference);
	if (name === undefined) throw new AppError('InvalidArgument', `couldn't parse image name "${reference}": invalid reference format`);
	const present = await context.runtime.image(name, signal);
	if (present !== undefined && policy !== 'Always' && (await mayUse(pod, name, present.id, context, signal))) return present.id;
	if (policy === 'Never')
		throw new AppError('FailedPrecondition', `Container image "${reference}" is not present with pull policy of Never`);
	return (await pullFor(pod, name, context, signal)).info.id;
}
