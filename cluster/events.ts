/** What a starting cluster tells whoever watches: plain data, so that it can cross a process boundary. */
import type { Access } from './kubeconfig.ts';

export type ClusterEvent =
	/** Something that may take longer than a second began. */
	| { readonly type: 'step'; readonly text: string }
	| { readonly type: 'done'; readonly text: string; readonly ms: number }
	/** Writes and the default ServiceAccount work, and the node is ready. */
	| {
			readonly type: 'ready';
			readonly access: Access;
			readonly nodeName: string;
			readonly dataDir: string;
			readonly ms: number;
			readonly resumed: boolean;
	  }
	| { readonly type: 'failed'; readonly message: string };
