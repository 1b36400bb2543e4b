/** What a KubeletConfiguration says of pulling images. Pure. */
import type { PullSettings } from '../image/pull-limits.ts';
import type { KubeletConfiguration } from './configuration.ts';

export type VerificationPolicy = 'NeverVerify' | 'NeverVerifyPreloadedImages' | 'NeverVerifyAllowlistedImages' | 'AlwaysVerify';

export interface ImageSettings {
	readonly pulls: PullSettings;
	readonly verification: VerificationPolicy;
	readonly allowlist: readonly string[];
}

export const IMAGE_FIELDS: readonly string[] = [
	...['registryPullQPS', 'registryBurst', 'serializeImagePulls', 'maxParallelImagePulls'],
	...['imagePullCredentialsVerificationPolicy', 'preloadedImagesVerificationAllowlist'],
];

const POLICIES: readonly string[] = ['NeverVerify', 'NeverVerifyPreloadedImages', 'NeverVerifyAllowlistedImages', 'AlwaysVerify'];

export function imageSettingsOf(given: KubeletConfiguration): ImageSettings {
	const most = given['maxParallelImagePulls'] as number | undefined;
	const serial = (given['serializeImagePulls'] as boolean | undefined) ?? (most === undefined || most < 2);
	return {
		pulls: {
			qps: (given['registryPullQPS'] as number | undefined) ?? 5,
			burst: (given['registryBurst'] as number | undefined) || 10,
			atOnce: serial ? 1 : (most ?? Infinity),
		},
		verification:
			((given['imagePullCredentialsVerificationPolicy'] as VerificationPolicy | undefined) || undefined) ?? 'NeverVerifyPreloadedImages',
		allowlist: (given['preloadedImagesVerificationAllowlist'] as string[] | undefined) ?? [],
	};
}

export function imageFaults(config: KubeletConfiguration): readonly string[] {
	const faults: string[] = [];
	const [most, serial] = [config['maxParallelImagePulls'], config['serializeImagePulls']];
	if (typeof most === 'number' && most < 1) faults.push(`invalid configuration: maxParallelImagePulls ${most} must be a positive number`);
	if (typeof most === 'number' && most > 1 && serial === true)
		faults.push(
			`invalid configuration: maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) set to false`,
		);
	for (const field of ['registryPullQPS', 'registryBurst'])
		if (Number(config[field] ?? 0) < 0)
			faults.push(`invalid configuration: ${field} ${Number(config[field])} must not be a negative number`);
	const policy = config['imagePullCredentialsVerificationPolicy'];
	if (policy !== undefined && policy !== '' && !POLICIES.includes(policy as string))
		faults.push(`invalid configuration: imagePullCredentialsVerificationPolicy must be one of ${POLICIES.join(', ')}`);
	if (
		((config['preloadedImagesVerificationAllowlist'] as unknown[] | undefined) ?? []).length > 0 &&
		policy !== 'NeverVerifyAllowlistedImages'
	)
		faults.push(
			'invalid configuration: can\'t set preloadedImagesVerificationAllowlist if imagePullCredentialsVerificationPolicy is not "NeverVerifyAllowlistedImages"',
		);
	return faults;
}
