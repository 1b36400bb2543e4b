/** Which ConfigMaps and Secrets the volumes of a pod show. Pure. */
import type { Pod } from '../../api/gen/types.ts';

export interface VolumeReference {
	readonly kind: 'configMap' | 'secret';
	readonly name: string;
}

export function volumeReferences(pod: Pod): readonly VolumeReference[] {
	const found = new Map<string, VolumeReference>();
	const add = (kind: VolumeReference['kind'], name: string | undefined): void => {
		if (name !== undefined && name !== '') found.set(`${kind}/${name}`, { kind, name });
	};
	for (const { configMap, secret, projected } of pod.spec?.volumes ?? []) {
		add('configMap', configMap?.name);
		add('secret', secret?.secretName);
		for (const source of projected?.sources ?? []) {
			add('configMap', source.configMap?.name);
			add('secret', source.secret?.name);
		}
	}
	return [...found.values()];
}
