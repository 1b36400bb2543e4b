/** ImageLocality: better a node that has the pod's images, weighed by their size and how widely they are spread. */
import { MAX_SCORE, type ScorePlugin } from '../framework.ts';

const MB = 1024 * 1024;
/** Upstream's thresholds: below the first no score, above the second (for each container) the full one. */
const MIN_BYTES = 23 * MB;
const MAX_BYTES_PER_CONTAINER = 1000 * MB;

export const imageLocality: ScorePlugin = {
	name: 'ImageLocality',
	prepare(pod, snapshot) {
		const { containers = [], initContainers = [], volumes = [] } = pod.pod.spec ?? {};
		const ran = [...initContainers, ...containers].map((c) => c.image ?? '');
		const mounted = volumes.flatMap((volume) => (volume.image === undefined ? [] : (volume.image.reference ?? '')));
		const images = [...ran, ...mounted].map(normalized);
		const spread = new Map(
			images.map((image) => [image, snapshot.nodes.filter((n) => n.images.has(image)).length / snapshot.nodes.length]),
		);
		if ([...spread.values()].every((share) => share === 0)) return 'skip';
		const max = MAX_BYTES_PER_CONTAINER * ran.length;
		return (node) => {
			const sum = images.reduce((total, image) => total + Math.floor((node.images.get(image) ?? 0) * (spread.get(image) ?? 0)), 0);
			const clamped = Math.min(max, Math.max(MIN_BYTES, sum));
			return Math.floor((MAX_SCORE * (clamped - MIN_BYTES)) / (max - MIN_BYTES));
		};
	},
};

/** An image without a tag means ":latest", as nodes report it. */
function normalized(image: string): string {
	return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
