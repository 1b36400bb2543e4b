/** AppArmor profiles that this kernel has loaded. */
import { readFile } from 'node:fs/promises';
import { AppError } from '../base/errors.ts';

const LOADED = '/sys/kernel/security/apparmor/profiles';

/** CRI wants a profile that is not loaded refused when the container is made; the engine would only fail to start it. Where the list cannot be read the engine decides. */
export async function checkAppArmorLoaded(profile: string | undefined, file: string = LOADED): Promise<void> {
	if (profile === undefined || profile === 'unconfined') return;
	const loaded = await readFile(file, 'utf8').catch(() => undefined);
	if (loaded === undefined || loaded.split('\n').some((line) => line.replace(/ \([^)]*\)$/, '') === profile)) return;
	throw new AppError('InvalidArgument', `AppArmor profile "${profile}" is not loaded on this node`);
}
