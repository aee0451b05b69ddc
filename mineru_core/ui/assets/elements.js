// Elements of the page, and of drawings in it. The first part of each module that makes any.

const SVG = "http://www.w3.org/2000/svg";

function make(tag, className = "", parent = null) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  parent?.append(element);
  return element;
}

function draw(tag, attributes = {}, parent = null) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}
