"""How memories belong together: kinds of link, what speaks for one, and how firm it is."""
