/** AlwaysPullImages: every start of a container asks the registry, so that nobody uses a private image that is on the node already. */
import type { Pod } from '../../../../api/gen/types.ts';
import { notSupported, type FieldError } from '../../../../api/field-error.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../contracts.ts';
import { containersOf } from '../pod-security/check.ts';
import { refusal } from '../refusal.ts';
import { isPod, stored, written } from '../target.ts';

const ALWAYS = 'Always';
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function alwaysPullImages(): AdmissionPlugin {
	return {
		name: 'AlwaysPullImages',
		handles: (attributes) =>
			isPod(attributes) && (attributes.operation === 'CREATE' || (attributes.operation === 'UPDATE' && hasNewImage(attributes))),
		mutate(attributes) {
			const spec = written<Pod>(attributes).spec;
			if (spec === undefined) return;
			for (const container of containersOf(spec)) container.imagePullPolicy = ALWAYS;
			for (const { image } of spec.volumes ?? []) if (image !== undefined) image.pullPolicy = ALWAYS;
		},
		validate(attributes) {
			const wrong = wrongPolicies(written<Pod>(attributes));
			if (wrong.length > 0) throw refusal(attributes, wrong.map(({ field, message }) => `${field}: ${message}`).join(', '));
		},
	};
}

function hasNewImage(attributes: AdmissionAttributes): boolean {
	const images = (pod: Pod | undefined): (string | undefined)[] =>
		pod?.spec === undefined ? [] : containersOf(pod.spec).map(({ image }) => image);
	const before = new Set(images(stored(attributes)));
	return images(written(attributes)).some((image) => !before.has(image));
}

/** What a plugin after this one has changed back. */
function wrongPolicies({ spec }: Pod): readonly FieldError[] {
	if (spec === undefined) return [];
	const containers = LISTS.flatMap((list) =>
		(spec[list] ?? []).map(({ imagePullPolicy }, i) => ({ field: `spec.${list}[${i}].imagePullPolicy`, policy: imagePullPolicy })),
	);
	const volumes = (spec.volumes ?? []).flatMap(({ image }, i) =>
		image === undefined ? [] : [{ field: `spec.volumes[${i}].image.pullPolicy`, policy: image.pullPolicy }],
	);
	return [...containers, ...volumes]
		.filter(({ policy }) => policy !== ALWAYS)
		.map(({ field, policy }) => notSupported(field, policy ?? '', [ALWAYS]));
}
