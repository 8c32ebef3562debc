// The bundler takes style sheets by import; to the compiler they are empty modules.
declare module '*.css';
