/** `kubeling version` */
import { VERSION } from '../../cluster/version.ts';

export function version(): void {
	console.log(`kubeling ${VERSION} (Kubernetes API 1.36, Node.js ${process.version})`);
}
