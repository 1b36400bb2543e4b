/** What a streaming URL stands for. */

export type StreamRequest =
	| {
			readonly kind: 'exec';
			readonly containerId: string;
			readonly command: readonly string[];
			readonly tty: boolean;
			readonly stdin: boolean;
			readonly stdout: boolean;
			readonly stderr: boolean;
	  }
	| {
			readonly kind: 'attach';
			readonly containerId: string;
			readonly tty: boolean;
			readonly stdin: boolean;
			readonly stdout: boolean;
			readonly stderr: boolean;
	  }
	| { readonly kind: 'portforward'; readonly sandboxId: string; readonly ports: readonly number[] };

export interface Streaming {
	/** An absolute URL, good for one request within a minute. */
	url(request: StreamRequest): string;
}
