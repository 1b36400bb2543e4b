/** What makes a container another one: a hash over its name and image. A running container whose hash differs is replaced. */
import { createHash } from 'node:crypto';
import type { Container } from '../../api/gen/types.ts';

export function containerHash(container: Container): string {
	return createHash('sha256')
		.update(JSON.stringify([container.name, container.image ?? '']))
		.digest('hex')
		.slice(0, 8);
}
