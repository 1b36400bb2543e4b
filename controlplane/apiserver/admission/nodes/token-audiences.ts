/** Whom a pod's tokens are for: its volumes say it, and the CSI drivers of its volumes (upstream's ServiceAccountNodeAudienceRestriction). Pure. */
import type { Pod, Volume } from '../../../../api/gen/types.ts';
import { CSI_DRIVERS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../../api/resources.ts';
import type { ObjectReader } from '../../contracts.ts';

/** Whether a volume of the pod asks for a token for this audience, '' being the API server; a text says what of a volume is not there to tell. */
export function asksFor(pod: Pod, audience: string, objects: ObjectReader): boolean | string {
	const missing: string[] = [];
	for (const volume of pod.spec?.volumes ?? []) {
		if (
			(volume.projected?.sources ?? []).some(({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? '') === audience)
		)
			return true;
		const driver = driverOf(volume, pod, objects);
		if ('missing' in driver) missing.push(driver.missing);
		if (!('name' in driver)) continue;
		const found = objects.get(CSI_DRIVERS, driver.name);
		if (found === undefined) missing.push(`csidriver.storage.k8s.io ${JSON.stringify(driver.name)} not found`);
		else if ((found.spec.tokenRequests ?? []).some((request) => request.audience === audience)) return true;
	}
	if (missing.length === 0) return false;
	return missing.length === 1 ? (missing[0] as string) : `[${[...new Set(missing)].join(', ')}]`;
}

type Driver = { readonly name: string } | { readonly missing: string } | Record<never, never>;

/** The CSI driver behind a volume, by its claim where it has one. */
function driverOf(volume: Volume, { metadata }: Pod, objects: ObjectReader): Driver {
	if (volume.csi !== undefined) return { name: volume.csi.driver };
	const claimName = volume.ephemeral === undefined ? volume.persistentVolumeClaim?.claimName : `${metadata.name ?? ''}-${volume.name}`;
	if (claimName === undefined) return {};
	const claim = objects.get(PERSISTENT_VOLUME_CLAIMS, `${metadata.namespace ?? ''}/${claimName}`);
	if (claim === undefined) return { missing: `persistentvolumeclaim ${JSON.stringify(claimName)} not found` };
	const { volumeName = '' } = claim.spec ?? {};
	const bound = volumeName === '' ? undefined : objects.get(PERSISTENT_VOLUMES, volumeName);
	if (bound === undefined) return { missing: `persistentvolume ${JSON.stringify(volumeName)} not found` };
	return bound.spec?.csi === undefined ? {} : { name: bound.spec.csi.driver };
}
