/** Image names with the tag they mean. Pure. */

const NAME =
	/^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?$/;
const ID = /^sha256:[0-9a-f]{64}$/;

/** With ":latest" when neither tag nor digest is named; undefined for what is no image name. */
export function normalizedImage(image: string): string | undefined {
	if (ID.test(image)) return image;
	if (!NAME.test(image)) return undefined;
	if (image.includes('@')) return image;
	return image.slice(image.lastIndexOf('/') + 1).includes(':') ? image : `${image}:latest`;
}

/** As credentials name it. */
export const DOCKER_HUB = 'index.docker.io';

/** With the registry that it means: "docker.io/library/nginx". */
export function wholeName(image: string): string {
	if (registryOf(image) !== DOCKER_HUB) return image;
	const path = image.replace(/^(?:index\.)?docker\.io\//, '');
	return `docker.io/${path.includes('/') ? path : `library/${path}`}`;
}

/** The registry of an image: its first part when that looks like a host, else Docker Hub. */
export function registryOf(image: string): string {
	const first = image.includes('/') ? (image.split('/')[0] ?? '') : '';
	const named = first.includes('.') || first.includes(':') || first === 'localhost';
	return named && first !== 'docker.io' ? first : DOCKER_HUB;
}
